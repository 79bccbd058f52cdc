/** Style sheets are imported for the bundler to find them. */
declare module '*.css';

/** The entry for other processes: the one that runs every service. */

export { startJobs } from './start-jobs.ts';

import type { Page } from 'playwright-core';

/** Keeps waiting whatever else would be read from or written to these of the app's stores, in any tab, until it is let go. */
export const holdStorage = (page: Page, stores: readonly string[]) => page.evaluate(hold(stores));

const hold = (stores: readonly string[]) => `new Promise((held) => {
  const opening = indexedDB.open('tagtrail');
  opening.onsuccess = () => {
    const store = opening.result
      .transaction(${JSON.stringify(stores)}, 'readwrite')
      .objectStore(${JSON.stringify(stores[0])});
    ${KEPT_BUSY}
    store.count().onsuccess = () => held();
    store.transaction.oncomplete = () => opening.result.close();
  };
})`;

/** Of a page in which `store` is of a transaction. */
const KEPT_BUSY = `
  globalThis.isHeld = true;
  const goOn = () => {
    if (globalThis.isHeld) store.count().onsuccess = goOn;
  };
  goOn();`;

/** Keeps waiting whatever would be read or written after the app's next look at this of what it keeps, until it is let go. */
export const holdAfterReading = (page: Page, kept: string) =>
  page.evaluate(`{
    const { get } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.get = function (key) {
      if (key === ${JSON.stringify(kept)}) {
        IDBObjectStore.prototype.get = get;
        const store = this.transaction.db.transaction(['kept'], 'readwrite').objectStore('kept');
        ${KEPT_BUSY}
      }
      return get.call(this, key);
    };
  }`);

export const letGo = (page: Page) => page.evaluate('globalThis.isHeld = false');

/** Waits until whatever the page has begun to write is stored. */
export const untilStored = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('tagtrail');
    opening.onsuccess = () => {
      const database = opening.result;
      const after = database.transaction([...database.objectStoreNames], 'readwrite');
      after.objectStore(database.objectStoreNames[0]).count();
      after.oncomplete = () => {
        database.close();
        resolve();
      };
    };
  })`);

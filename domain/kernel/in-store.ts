/** The store that every account has; what names none belongs to it. */
export const DEFAULT_STORE = 1

/** What an event keeps of the store that it belongs to: nothing of the default one. */
export const inStore = (storeId: number | undefined): { storeId?: number } =>
  storeId === undefined || storeId === DEFAULT_STORE ? {} : { storeId }

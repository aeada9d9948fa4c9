/** The store that every account has; whatever names no store belongs to it. */
export const DEFAULT_STORE = 1

/** The field by which an event names its store; the default store is not named. */
export const inStore = (storeId: number | undefined): { storeId?: number } =>
  storeId === undefined || storeId === DEFAULT_STORE ? {} : { storeId }

/** Where the screens of developers are. */

export const DEVELOPERS = '/dashboard/developers'
export const KEYS = `${DEVELOPERS}/keys`
export const WEBHOOKS = `${DEVELOPERS}/webhooks`
export const REQUESTS = `${DEVELOPERS}/requests`

/** The filters of the request log as the address has them; the names are those of `GET /v1/request-log`. */
export type RequestFilters = {
  readonly [name in 'method' | 'path' | 'status' | 'key_hint' | 'request_id' | 'from' | 'to']?: string | undefined
}

/** The address of the request log with these filters, without those that are empty. */
export const requestsAt = (filters: RequestFilters & { readonly before?: string | undefined }): string => {
  const given = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]))
  return given.length === 0 ? REQUESTS : `${REQUESTS}?${new URLSearchParams(given)}`
}

import { Reply } from '../endpoint.ts'
import { brokenRequestPage } from './broken-request.ts'

/** Node takes no request whose head is longer than 16 KiB; nobody needs half as much. */
const ADDRESS_MAX = 8_000

/** The same request by GET. */
export const asGet = (op: string, parameters: Readonly<Record<string, unknown>>): Reply => {
  const query = new URLSearchParams({ ...(parameters as Record<string, string>), op })
  const location = `/oauth2?${query}`
  if (location.length > ADDRESS_MAX) return brokenRequestPage('invalid_request: the request is too long')
  return new Reply(303, '', { Location: location, 'Cache-Control': 'no-store' })
}

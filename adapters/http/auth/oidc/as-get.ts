import { z } from 'zod'
import { Reply } from '../../core/endpoint.ts'
import { recordOf } from '../../core/record-of.ts'
import { brokenRequestPage } from './broken-request.ts'

/** Node takes no request whose head is longer than 16 KiB; nobody needs half as much. */
const ADDRESS_MAX = 8_000
/** Parameters of a request, including those that nobody here knows. */
const PARAMETERS_MAX = 100

/** A request as a form sends it. */
export const FormParameters = recordOf(z.string(), z.string(), PARAMETERS_MAX)

/** Leads the browser to the same request by GET. */
export const asGet = (op: string, parameters: Readonly<Record<string, unknown>>): Reply => {
  const query = new URLSearchParams({ ...(parameters as Record<string, string>), op })
  const location = `/oauth2?${query}`
  if (location.length > ADDRESS_MAX) return brokenRequestPage('invalid_request: the request is too long')
  return new Reply(303, '', { Location: location, 'Cache-Control': 'no-store' })
}

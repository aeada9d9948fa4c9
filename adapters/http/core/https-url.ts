import { z } from 'zod'
import { httpsUrl } from '../../storefront/https.ts'

const URL_MAX = 2_048

/**
 * An https URL; an empty text means none. It goes into pages and redirects, so it has nothing that could end an
 * attribute, and no user’s name.
 */
export const HttpsUrl = z
  .string()
  .max(URL_MAX)
  .refine((text) => text === '' || httpsUrl(text) !== undefined, 'has to be an address that starts with https://')

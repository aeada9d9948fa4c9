import { z } from 'zod'

/** What is said to VIES and what it says: `POST /check-vat-number` of its REST interface (swagger_publicVAT.yaml). */

export type ViesAnswer = { readonly valid: boolean; readonly name?: string; readonly consultation?: string }

/** With a requester, which is the seller, VIES gives a consultation number. */
export const bodyFor = (number: string, requester: string | undefined): string => {
  const { countryCode, vatNumber } = parted(number)
  const asker = requester === undefined ? undefined : parted(requester)
  return JSON.stringify({
    countryCode,
    vatNumber,
    ...(asker && { requesterMemberStateCode: asker.countryCode, requesterNumber: asker.vatNumber }),
  })
}

/** Undefined for what is no answer about this number; VIES says with 200 also that it cannot tell. */
export const readViesAnswer = (text: string, number: string): ViesAnswer | 'bad-requester' | undefined => {
  const json = parsed(text)
  const fault = Fault.safeParse(json).data?.errorWrappers[0].error
  if (fault === 'INVALID_REQUESTER_INFO') return 'bad-requester'
  if (fault === 'INVALID_INPUT') return { valid: false }
  const said = Said.safeParse(json).data
  const { countryCode, vatNumber } = parted(number)
  if (said?.countryCode !== countryCode || said.vatNumber !== vatNumber) return undefined
  const { valid, name, requestIdentifier } = said
  return { valid, ...told('name', name), ...told('consultation', requestIdentifier) }
}

const Said = z.object({
  countryCode: z.string(),
  vatNumber: z.string(),
  valid: z.boolean(),
  name: z.string().nullish(),
  requestIdentifier: z.string().nullish(),
  /** Some of its interfaces say here that `valid` means nothing. */
  userError: z.enum(['VALID', 'INVALID']).nullish(),
})

const Fault = z.object({ actionSucceed: z.literal(false), errorWrappers: z.tuple([z.object({ error: z.string() })]) })

const parted = (number: string) => ({ countryCode: number.slice(0, 2), vatNumber: number.slice(2) })

/** Countries that keep a name to themselves write dashes. */
const told = <K extends string>(field: K, text: string | null | undefined): { readonly [F in K]?: string } =>
  text && !/^-+$/.test(text) ? ({ [field]: text } as { [F in K]: string }) : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

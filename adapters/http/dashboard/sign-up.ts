import { z } from 'zod'
import { passwordFault } from '../../../domain/signin/password-rules.ts'
import { signUp } from '../../../domain/use-cases/account/sign-up.ts'
import { Email } from '../agent/account/account.ts'
import { endpoint } from '../core/endpoint.ts'
import { limit } from '../core/limits.ts'
import { networkName, networkOf } from '../core/network-of.ts'
import { newAccountPage } from '../pages/dashboard/sign-up.ts'
import { signUpPage } from '../pages/people/sign-up.ts'
import { cookiesOf, csrf, type GuestVisit, ofGuests } from './of-dashboard.ts'

/** Making a seller's account: the same as `POST /v1/signup`, for a person. */

const common = { ...ofGuests, path: '/dashboard/sign-up' } as const
const SIGN_IN = '/dashboard/sign-in'

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for making a seller’s account',
  answer: async ({ actor }) => signUpPage({ ...form(actor), cookies: cookiesOf(actor) }),
})

const make = endpoint({
  ...common,
  method: 'post',
  summary: 'Makes a seller’s account and shows its owner key once; the answer is the same for every address',
  limits: { address: 'signUp' },
  body: z.object({ csrf, email: z.string().max(254), new_password: z.string().max(1_000) }),
  async answer({ body: { email, new_password: password }, actor, flow, signIn, ip }) {
    const errors = {
      email: Email.safeParse(email).success ? undefined : 'This is not an email address.',
      password: passwordFault(password, email),
    }
    if (errors.email !== undefined || errors.password !== undefined)
      return signUpPage({ ...form(actor), values: { email }, errors })
    await limit({ flow, signIn }, 'sign-up', networkOf(ip))
    const { apiKey } = await signUp(flow, {
      email,
      password,
      primaryWallet: null,
      termsAgreed: 'by-omission',
      network: networkName(ip),
    })
    return newAccountPage(actor.languages, email, apiKey)
  },
})

export const signUpEndpoints = [look, make]

const form = ({ csrf, languages }: GuestVisit['actor']) =>
  ({ languages, carried: { csrf }, signIn: SIGN_IN, action: common.path, isSeller: true }) as const

import { z } from 'zod'
import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { ofRows, saidOf } from '../people/of-people.ts'

/** What the pages for owners of apps have in common. They read rows, so they wait until their own writes show. */
export const ofOwners = { ...ofRows, auth: 'person' } as const

export const ClientId = z.string().regex(/^app_[a-z0-9]{1,64}$/)

/** An app of this user's; the answer does not tell a foreign app from none. Refuses `not-found`. */
export const ownApp = async ({ ledger }: UseCaseContext, clientId: string, sub: string): Promise<ClientApp> => {
  const app = await ledger.clientApp.read(clientId)
  return app.status === 'active' && app.owner === sub
    ? app
    : refuse('not-found', 'There is no such app. Look for it among your apps.')
}

/** What was wrong with a form, in words for its page; an error that is not the user's mistake is thrown on. */
export const faultOf = (error: unknown): string => {
  if (error instanceof Refusal && SAID.includes(error.code)) return saidOf(error)
  throw error
}

const SAID: readonly string[] = ['invalid-request', 'redirect-uri-refused', 'webhook-url-refused', 'state-forbids']

/** The lines of a text field; empty ones are left out. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

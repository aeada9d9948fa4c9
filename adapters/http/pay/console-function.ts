import type { z } from 'zod'
import type { Auth, DeclaredReach, Endpoint } from '../core/endpoint.ts'

/**
 * The paths at which document 3's functions are called: all on the main API, some on the payment or cloud API too
 * (M-GEN-03 to M-GEN-05, N-61).
 */
const paths = { main: '/api.php', payment: '/payment/api.php', cloud: '/cloud/api.php' } as const

/**
 * One function of the merchant console, on the main API and wherever else it is said to answer. `when` picks it among
 * those of the same name.
 */
export const consoleFunction = <
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends Auth,
  H extends z.ZodType,
>(
  name: string,
  e: Omit<Endpoint<z.ZodType, Q, B, R, A, H>, 'method' | 'path'> & DeclaredReach<A>,
  also: readonly ('payment' | 'cloud')[] = [],
): Endpoint[] =>
  (['main', ...also] as const).map((api) => {
    const declared = { ...e, method: 'post', path: paths[api], when: { ...e.when, function: name } }
    return declared as unknown as Endpoint
  })

import { z } from 'zod'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'

/**
 * The setting whether a seller takes signed payments; the platform carries them out (J-GAS-03, J-GAS-04, N-43, Q-21).
 */

const RelayConfig = z
  .object({
    enabled: z.union([z.literal(0), z.literal(1)]),
    managed_by: z.literal('platform'),
    network: z.string().nullable(),
    networks: z.array(z.string()),
  })
  .meta({
    id: 'RelayConfig',
    description: 'The networks on which signed payments can be carried out; `network` is the first.',
  })

const common = {
  path: '/v1/exact-relay',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  waits: 'never',
  returns: RelayConfig,
} as const

const setRelay = endpoint({
  ...common,
  method: 'post',
  summary: 'Take signed payments (1), or none (0)',
  body: z.object({
    enabled: z.int().min(0).max(1).default(1),
    private_key: z.unknown().optional().meta({ description: 'Dropped unread: sellers keep their keys.' }),
  }),
  answer: ({ body, actor, flow }) => changed(flow, actor.accountId, body.enabled === 1),
})

const resetRelay = endpoint({
  ...common,
  method: 'delete',
  summary: 'Back to the default: signed payments are taken',
  answer: ({ actor, flow }) => changed(flow, actor.accountId, true),
})

const changed = async ({ ledger, relayers }: UseCaseContext, accountId: string, gasless: boolean) => {
  const { state } = await ledger.settings.change(accountId, { gasless })
  const networks = [...relayers.keys()]
  const enabled = state.gasless ? (1 as const) : (0 as const)
  return { enabled, managed_by: 'platform' as const, network: networks[0] ?? null, networks }
}

export const exactRelayEndpoints = [setRelay, resetRelay]

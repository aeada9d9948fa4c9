import { strict as assert } from 'node:assert'
import type { SandboxPurchase } from '../../adapters/chains/sandbox/sandbox-buyer.ts'
import type { BoughtCart } from '../../adapters/chains/sandbox/sandbox-cart.ts'
import type { Client } from './client.ts'

/** The surroundings that a sale is played in: a service, a chain and a webhook endpoint. */

export type Stage = {
  readonly client: Client
  /** The seller's receive address, and what has arrived there, in wei. */
  readonly payTo: string
  received(): Promise<bigint>
  /** Sends coins on the chain and answers the transaction hash once it is mined. */
  pay(to: string, wei: bigint): Promise<string>
  /** Buys a path of the service by a signature, as a client of x402 does. */
  sign(path: string): Promise<SandboxPurchase>
  /** Completes the checkout session at a path, and pays it by a signature. */
  buyCart(path: string): Promise<BoughtCart>
  /** Lets the chain come to the depth that counts. */
  confirm(blocks: number): Promise<void>
  readonly webhook: {
    readonly url: string
    readonly posts: readonly { headers: Record<string, string>; body: string }[]
  }
  /** Stops the service, drops every read model, replays the log, starts the service again. */
  replay(): Promise<void>
}

/** Called when a step is done, with what a reader may want to see of it. */
export type Show = (step: number, title: string, facts: readonly string[]) => void

export const WAIT_MS = 20_000

/** The webhook log of a transaction, once its one delivery was answered. */
export const deliveryOf = async ({ client }: Stage, key: string, transactionId: string) => {
  const log = await eventually(
    'the delivery',
    async () => {
      const answer = await client.json('GET', `/v1/transactions?transaction_id=${transactionId}&webhook_log=1`, { key })
      return answer.webhook_log[0]?.http_status && answer.webhook_log
    },
    WAIT_MS,
  )
  assert.equal(log.length, 1)
  return log[0]
}

/** Milliseconds between two looks at first and at most; in between, the part of what was waited already. */
const LOOK_AGAIN_MS = 25
const LOOK_AGAIN_MAX_MS = 250
const PART_OF_WAIT = 0.2

/** Waits until a check holds, and answers what it found; throws after `waitMs`. */
export const eventually = async <T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  waitMs = 90_000,
): Promise<T> => {
  const begun = Date.now()
  for (;;) {
    const found = await check()
    if (found) return found
    const waited = Date.now() - begun
    if (waited > waitMs) throw new Error(`${what} did not happen within ${waitMs} ms`)
    const pauseMs = Math.min(Math.max(waited * PART_OF_WAIT, LOOK_AGAIN_MS), LOOK_AGAIN_MAX_MS)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

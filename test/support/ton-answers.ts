/** Transactions and traces as toncenter's API writes them. */

import type { Address, Message, TransactionBouncePhase } from '@ton/core'
import type { BlockchainTransaction } from '@ton/sandbox'
import { messageHash } from './ton-messages.ts'
import type { TonTransactionDouble } from './ton-sandbox.ts'

export const rawAddress = ({ workChain, hash }: Address): string => `${workChain}:${hash.toString('hex').toUpperCase()}`

export const transactionAnswer = ({ transaction, traceId, seqno }: TonTransactionDouble) => {
  const { inMessage, outMessages, oldStatus, endStatus, totalFees, lt, now } = transaction
  return {
    account: rawAddress(inMessage?.info.dest as Address),
    hash: transaction.hash().toString('base64'),
    lt: String(lt),
    now,
    mc_block_seqno: seqno,
    trace_id: Buffer.from(traceId, 'hex').toString('base64'),
    orig_status: oldStatus,
    end_status: endStatus,
    total_fees: String(totalFees.coins),
    description: description(transaction),
    in_msg: inMessage ? message(inMessage) : null,
    out_msgs: outMessages.values().map(message),
    emulated: false,
    finality: 'finalized',
  }
}

/** Of a trace so far: what is in a block of it. */
export const traceAnswer = (all: readonly TonTransactionDouble[]) => {
  const final = all.filter(({ seqno }) => seqno !== undefined)
  const transactions = final.map(transactionAnswer)
  const pending = all.length - final.length
  return {
    trace_id: transactions[0]?.trace_id,
    trace_info: {
      trace_state: pending > 0 ? 'pending' : 'complete',
      transactions: final.length,
      pending_messages: pending,
      classification_state: 'unclassified',
    },
    is_incomplete: false,
    transactions_order: transactions.map(({ hash }) => hash),
    transactions: Object.fromEntries(transactions.map((each) => [each.hash, each])),
  }
}

const bounceTypes: Readonly<Record<TransactionBouncePhase['type'], string>> = {
  ok: 'ok',
  'no-funds': 'nofunds',
  'negative-funds': 'negfunds',
}

const description = ({ description }: BlockchainTransaction) => {
  if (description.type !== 'generic') throw new Error(`a transaction of the kind ${description.type}`)
  const { aborted, destroyed, creditFirst, creditPhase, computePhase, actionPhase, bouncePhase } = description
  return {
    type: 'ord',
    aborted,
    destroyed,
    credit_first: creditFirst,
    ...(creditPhase && { credit_ph: { credit: String(creditPhase.credit.coins) } }),
    compute_ph:
      computePhase.type === 'skipped'
        ? { skipped: true, reason: computePhase.reason.replace('-', '_') }
        : { skipped: false, success: computePhase.success, exit_code: computePhase.exitCode },
    ...(actionPhase && { action: { success: actionPhase.success, result_code: actionPhase.resultCode } }),
    ...(bouncePhase && { bounce: { type: bounceTypes[bouncePhase.type] } }),
  }
}

const message = (given: Message) => {
  const { info, body } = given
  const isInside = info.type === 'internal'
  return {
    hash: messageHash(given).toString('base64'),
    source: info.type === 'external-in' ? null : rawAddress(info.src),
    destination: info.type === 'external-out' ? null : rawAddress(info.dest),
    value: isInside ? String(info.value.coins) : null,
    bounce: isInside ? info.bounce : null,
    bounced: isInside ? info.bounced : null,
    opcode: body.bits.length < 32 ? null : `0x${body.beginParse().loadUint(32).toString(16).padStart(8, '0')}`,
    message_content: {
      hash: body.hash().toString('base64'),
      body: body.toBoc().toString('base64'),
      decoded: null,
    },
  }
}

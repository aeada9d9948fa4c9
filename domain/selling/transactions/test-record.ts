import { type TransactionRecord, transactionRecord } from './transaction-record.ts'

/**
 * A made-up payment with every documented key, for deliveries that try a URL out (S-STO-04). No real transaction has
 * its number.
 */
export const testRecord = (at: string): TransactionRecord =>
  transactionRecord('0', {
    amount: '0.01',
    amountFiat: '25',
    cryptocurrency: 'eth',
    currency: 'USD',
    status: 'C',
    hash: `0x${'0'.repeat(64)}`,
    title: 'Test delivery',
    externalReference: 'test',
    description: 'Sent to try out the webhook URL; nobody has paid.',
    createdAt: at,
    confirmedAt: at,
    type: 'test',
    test: true,
  })

import test from 'ava'
import { creditAccount } from '../../domain/credit/credit-account.ts'
import { given } from '../support/given.ts'

const grant = (amount: string, position = '10', source = 'granting') =>
  ({ amount, reason: 'email-verified', ref: `r${position}`, source, position }) as const
const bill = (amount: string, position = '20', source = 'billing') =>
  ({ amount, reason: 'platform-fee', ref: `r${position}`, source, position }) as const
const granted = (...a: Parameters<typeof grant>) => ({ type: 'CreditGranted', data: grant(...a) }) as const
const debited = (amount: string, owed: string, position = '20', source = 'billing') =>
  ({ type: 'CreditDebited', data: { ...bill(amount, position, source), owed } }) as const
const collected = (amount: string, ref: string) => ({ type: 'OwedCreditCollected', data: { amount, ref } }) as const

test('a fee is taken from the credit in full where it covers it', (t) => {
  given(t, creditAccount, granted('5')).when('charge', bill('5')).yields(debited('5', '0'))
  given(t, creditAccount, granted('5')).when('charge', bill('2')).yields(debited('2', '0'))
})

test('I-CRD-03 a fee above the credit takes what is there and leaves the rest owed; it is never refused', (t) => {
  given(t, creditAccount, granted('5')).when('charge', bill('8')).yields(debited('5', '3'))
  given(t, creditAccount).when('charge', bill('8')).yields(debited('0', '8'))
  given(t, creditAccount, debited('0', '8', '20'))
    .when('charge', bill('1', '21'))
    .yields(debited('0', '1', '21'))
})

test('I-CRD-03 what is owed is collected first from the next credit, in part or in full', (t) => {
  const owing = given(t, creditAccount, debited('0', '8'))
  owing.when('grant', grant('3')).yields(granted('3'), collected('3', 'r10'))
  owing.when('grant', grant('8')).yields(granted('8'), collected('8', 'r10'))
  owing.when('grant', grant('9')).yields(granted('9'), collected('8', 'r10'))
  given(t, creditAccount, debited('0', '8'), granted('9'), collected('8', 'r10'))
    .when('charge', bill('5', '30'))
    .yields(debited('1', '4', '30'))
})

test('I-FEE-03 the same place of a source, and a lower one, are quiet; another source counts for itself', (t) => {
  const billed = given(t, creditAccount, granted('9'), debited('5', '0', '20'))
  billed.when('charge', bill('5', '20')).yieldsNothing()
  billed.when('charge', bill('5', '19')).yieldsNothing()
  billed.when('grant', grant('5', '10')).yieldsNothing()
  billed.when('charge', bill('4', '21')).yields(debited('4', '0', '21'))
  billed.when('charge', bill('4', '3', 'another')).yields(debited('4', '0', '3', 'another'))
  billed.when('grant', grant('4', '0', 'another')).yields(granted('4', '0', 'another'))
})

test('places are compared as numbers, not as text', (t) => {
  given(t, creditAccount, granted('9', '9')).when('grant', grant('1', '10')).yields(granted('1', '10'))
  given(t, creditAccount, granted('9', '10')).when('grant', grant('1', '9')).yieldsNothing()
  const far = (2n ** 63n - 1n).toString()
  given(t, creditAccount, granted('9', far)).when('grant', grant('1', '9223372036854775806')).yieldsNothing()
})

test('nothing and less than nothing are neither granted nor billed', (t) => {
  for (const amount of ['0', '-1']) {
    given(t, creditAccount).when('grant', grant(amount)).isRefused('amount-not-positive')
    given(t, creditAccount).when('charge', bill(amount)).isRefused('amount-not-positive')
  }
})

import test from 'ava'
import { daybook } from './daybook.ts'

/** `daybook accounts` reads what was typed before it opens anything. */

const ID = `acc_${'a'.repeat(26)}`
const misuses: readonly [args: string[], says: RegExp][] = [
  [['bogus'], /unknown command 'bogus'/],
  [['show'], /missing required argument 'acc_…'/],
  [['show', 'usr_a'], /not an account id \(acc_…\)/],
  [['show', "acc_'; drop"], /not an account id/],
  [['show', ID, ID], /too many arguments/],
  [['list', '--limit', '0'], /not a number from 1/],
  [['list', '--limit', 'all'], /not a number from 1/],
  [['list', '--state', 'suspended'], /unknown option '--state'/],
  [['suspend', '--reason', 'Nothing is delivered'], /missing required argument/],
  [['suspend', ID], /required option '--reason <text>' not specified/],
  [['suspend', ID, '--reason', '   '], /not a reason of 1 to 500 characters/],
  [['suspend', ID, '--reason', 'x'.repeat(501)], /not a reason of 1 to 500 characters/],
  [['suspend', 'me@shop.example', '--reason', 'Nothing is delivered'], /not an account id/],
  [['suspend', ID, '--reason', 'Nothing is delivered', '--by', ''], /not a reason|not a name/],
  [['reinstate', ID], /required option '--reason <text>' not specified/],
  [['rotate-key', ID], /required option '--reason <text>' not specified/],
  [['rotate-key', ID, '--reason', 'It is lost', '--old-key', 'day'], /Allowed choices are hour, none/],
  [['rotate-key', 'acc_', '--reason', 'It is lost'], /not an account id/],
]

test('what is typed wrongly to `accounts` ends with 2 and one line that says what, and opens nothing', async (t) => {
  // Whatever would be opened is not there.
  const env = { DATA_DIR: '/nowhere/at/all', DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  for (const [args, says] of misuses) {
    const { code, stdout, stderr } = await daybook(env, 'accounts', ...args)
    const typed = args.join(' ')
    t.deepEqual([code, stdout], [2, ''], `${typed}: ${stderr}`)
    t.is(stderr.trimEnd().split('\n').length, 1, typed)
    t.regex(stderr, says, typed)
  }
})

test('`accounts` without a command is misused, and says which there are', async (t) => {
  const { code, stdout, stderr } = await daybook({}, 'accounts')
  t.deepEqual([code, stdout], [2, ''])
  t.regex(stderr, /rotate-key/)
})

test('`accounts` and each of its commands say how they are used, and end with 0', async (t) => {
  const all = await daybook({}, 'accounts', '--help')
  t.is(all.code, 0)
  for (const name of ['list', 'show', 'rotate-key', 'suspend', 'reinstate']) {
    t.regex(all.stdout, new RegExp(`^  ${name}[ |]`, 'm'))
    const { code, stdout } = await daybook({}, 'accounts', name, '--help')
    t.deepEqual([code, /^Usage: daybook accounts /.test(stdout)], [0, true], name)
  }
})

import test from 'ava'
import { steadily } from '../../bench/steady.ts'

/** Speeds of the machine, in the order in which it is looked at. */
const paceOf = (speeds: number[]) => async () => speeds.shift() ?? 100
const quiet = () => {}

test('N-167 a round in which the machine moved by more than 5 % is dropped and done again', async (t) => {
  const said: string[] = []
  const asked: number[] = []
  const round = async (number: number) => asked.push(number)
  const speeds = [100, 104, 100, 94, 100, 106, 100, 100]
  const { counted, ...rest } = await steadily(2, paceOf(speeds), round, (line) => said.push(line))
  t.deepEqual([counted.length, rest], [2, { dropped: 2, unsteady: 0 }])
  t.deepEqual(asked, [0, 1, 1, 1], 'a round that is done again is the same one')
  t.regex(said[0] ?? '', /6\.0 %/)
})

test('N-167 on a machine that never rests twice as many rounds are dropped, and then they count and are told of', async (t) => {
  let turn = 0
  const pace = async () => (turn++ % 2 === 0 ? 100 : 50)
  const { counted, ...rest } = await steadily(3, pace, async (number) => number, quiet)
  t.deepEqual([counted, rest], [[0, 1, 2], { dropped: 6, unsteady: 3 }])
})

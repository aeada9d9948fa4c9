import test from 'ava'
import ts from 'typescript'
import { z } from 'zod'
import { FiatAmount } from '../../adapters/http/agent/common/amounts.ts'
import { validInput } from '../../adapters/http/core/valid.ts'
import { type PlainRefusalCode, Refusal, type RefusalCode } from '../../domain/kernel/refusal.ts'
import { refusalWords, sentenceOf } from '../../domain/kernel/refusals/refusal-words.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { HOLE, refusalTexts } from '../support/refusal-texts.ts'
import { parsed, ROOT, sources } from '../support/source-files.ts'

/** What callers read when something is refused: what it is about, what is wrong, and what to do. */

const codes = Object.keys(refusalWords) as RefusalCode[]
/** What no caller can do anything with: a regular expression, and the wording of the library that validates. */
const FOREIGN = /\/\^|\^\[|\\d|\{\d+,\d*\}\$|Invalid (input|string|option)|Too (small|big)|expected \w+, received/

test('X-ERR-01 each refusal has a sentence of its own that says what is wrong, and then what to do', (t) => {
  t.true(codes.length > 140)
  t.is(new Set(Object.values(refusalWords)).size, codes.length, 'no two are the same')
  for (const code of codes) {
    const sentence = refusalWords[code]
    t.regex(sentence, /^[A-Z].{15,}[.:!] .{8,}\.$|^[A-Z].{15,}\. .*\}\.$/, `${code}: ${sentence}`)
    t.notRegex(sentence, FOREIGN, code)
    t.notRegex(sentence, /was refused/, code)
  }
})

test('X-ERR-01 every surface answers each refusal with a code, a status and its sentence', (t) => {
  for (const { name, wire, failure } of surfaces())
    for (const code of codes) {
      const [status, told] = wire[code]
      t.true(status >= 400 && status < 600, `${name} ${code}`)
      const body = JSON.stringify(failure(told, sentenceOf(new Refusal(code as PlainRefusalCode))))
      t.true(body.includes(JSON.stringify(refusalWords[code]).slice(1, -1)), `${name} ${code}: ${body}`)
    }
})

test('X-ERR-01 a fragment becomes a sentence with what to do behind it, and a fault of a field stays as it is', (t) => {
  t.is(
    sentenceOf(new Refusal('already-paid', 'this request is paid')),
    'This request is paid. Ask the seller about the second payment.',
  )
  t.is(sentenceOf(new Refusal('already-paid', 'It is paid.')), 'It is paid.')
  t.is(sentenceOf(new Refusal('invalid-request', 'amount: is missing')), 'amount: is missing')
})

/** All refusals of the sources, as far as they can be read there. */
const written = refusalTexts()

/** Whether all of a text is known at run time alone, so that it is written elsewhere; a field may be named before. */
const isElsewhere = (text: string): boolean => /^([\w.]+: ?)*[…:.() ]*$/.test(text)

const VERBS = [
  'add answer ask begin buy cancel challenge change choose claim come compare complete confirm connect copy debit delete do',
  'enable end enter explore find follow get give go have issue leave look make match name open pay play post prove put',
  'read register remove repeat resume revoke say scan see select send set show sign speak spell start stop take tell',
  'tick top train travel try turn update upload use wait win withdraw write',
]

/**
 * What tells a reader what to do: a rule that has to be kept, or an order, which stands at the beginning of a sentence
 * or a clause. A verb that something is said of (`name is missing`) is a noun.
 */
const ADVICE = new RegExp(
  `\\b(has|have) to\\b|\\bmust\\b|(^|[.:;!?…] |, )((and|or|so|then|but|please|first|else) )*(${VERBS.join(' ').replaceAll(' ', '|')})` +
    '(?=[ ,.])(?! (is|are|was|were|has|had|of|does|did|may|can|cannot|must|which)\\b)',
  'i',
)

/** An operation that a text names: a method and a path, or the path alone. Public files and pages count, too. */
const OPERATION = /(?:\b(GET|POST|PUT|DELETE|PATCH) |[ (])(\/[\w./-]*[\w])/g

/** Codes that say nothing by themselves of what they are about: whoever refuses with one has to say it. */
const GENERIC: ReadonlySet<string> = new Set([
  'invalid-request',
  'not-found',
  'unavailable',
  'busy',
  'state-forbids',
  'forbidden',
])

test('X-ERR-01 no refusal in the sources is generic, in a library’s words, or worded like that of another reason', (t) => {
  t.true(written.length > 900)
  const by = new Map<string, string>()
  for (const { code, text, place } of written) {
    if (code && GENERIC.has(code)) t.truthy(text, `${place}: ${code} has to say what it is about`)
    if (text === undefined || isElsewhere(text)) continue
    t.notRegex(text, FOREIGN, place)
    t.notRegex(text, /^(No such \w+\.|There is nothing here\.|The request was refused\.)/, place)
    // Of a fragment, its code says what to do, and of a hole, the program alone knows what comes there.
    if (code === undefined || text.includes(HOLE) || sentenceOf({ code, detail: text }) !== text) continue
    const known = by.get(text)
    t.true(known === undefined || known === code, `${place}: ${code} says what ${known} says: ${text}`)
    by.set(text, code)
  }
})

test('X-ERR-01 whatever a caller is refused for, the sentence that arrives says what to do', (t) => {
  for (const code of codes) t.regex(refusalWords[code], ADVICE, code)
  // Where the code is known at run time alone, any code says the rest: each has its advice.
  const silent = written.filter(
    ({ code = 'not-found', text }) =>
      text !== undefined && !isElsewhere(text) && !ADVICE.test(sentenceOf({ code, detail: text })),
  )
  t.deepEqual(
    silent.map(({ code, text, place }) => `${place} ${code}: ${text}`),
    [],
  )
})

test('X-ERR-01 no refusal says twice what to do', (t) => {
  const doubled = written.filter(
    ({ code, text }) => code && text !== undefined && sentenceOf({ code, detail: text }) !== text && ADVICE.test(text),
  )
  t.deepEqual(
    doubled.map(({ code, text, place }) => `${place} ${code}: ${text}`),
    [],
  )
})

test('X-ERR-01 what counts as advice is an order or a rule, and no word that only looks like one', (t) => {
  for (const text of [
    'This was used.',
    'There is no such name.',
    'It is in use, and the answer is no.',
    'name is missing',
  ])
    t.notRegex(text, ADVICE)
  for (const text of [
    'It is gone. Look for it elsewhere.',
    'amount: has to be above 0',
    'It is twice there: send it once',
  ])
    t.regex(text, ADVICE)
})

test('X-ERR-01 J-GEN-08 each operation that a refusal names is there, with its method, on a surface of whoever reads it', (t) => {
  const named = [...written, ...codes.map((code) => ({ text: refusalWords[code], place: `domain/ ${code}` }))]
  const all = named.flatMap(({ text = '', place }) =>
    [...text.matchAll(OPERATION)].map(([operation, method, path = '']) => ({ operation, method, path, place })),
  )
  t.true(all.length > 60)
  for (const { operation, method, path, place } of all)
    t.true(
      readersOf(place).some((endpoints) => endpoints.some((e) => e.path === path && isOf(e.method, method))),
      `${place}: ${operation}`,
    )
})

type Operations = readonly { readonly path: string; readonly method: string }[]

/**
 * The surfaces of whoever reads a text: those of its adapter. Texts of the domain and of what all surfaces share are
 * read anywhere. Whoever calls the console has a key of the JSON API, too.
 */
const readersOf = (place: string): Operations[] => {
  const own = /^adapters\/http\/(agent|auth|pay|buyer)\//.exec(place)?.[1]
  const names = own === 'pay' ? ['pay', 'agent'] : own === 'buyer' ? ['agent'] : own ? [own] : undefined
  const read = surfaces().filter(({ name }) => names?.includes(name) ?? true)
  return [...read.map(({ endpoints }) => endpoints), [{ path: '/openapi.json', method: 'get' }]]
}

const isOf = (method: string, named: string | undefined): boolean =>
  named === undefined || method.toUpperCase() === named

/** The words of each rule that a schema has for a text or a list, and where they stand. */
const ruleWords = (): { text: string; place: string }[] =>
  sources(ROOT)
    .filter((file) => file.startsWith('adapters/'))
    .flatMap((file) => {
      const source = parsed(file)
      const all: { text: string; place: string }[] = []
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
          const words = RULES.has(node.expression.name.text) ? node.arguments[1] : undefined
          if (words && (ts.isStringLiteral(words) || ts.isTemplateExpression(words))) {
            const line = source.getLineAndCharacterOfPosition(words.getStart()).line + 1
            all.push({ text: words.getText(source).slice(1, -1), place: `${file}:${line}` })
          }
        }
        ts.forEachChild(node, visit)
      }
      visit(source)
      return all
    })
const RULES: ReadonlySet<string> = new Set(['regex', 'refine', 'min', 'max', 'startsWith'])

test('X-ERR-01 the words of every rule of a schema go on after the name of its field', (t) => {
  const all = ruleWords()
  t.true(all.length > 40)
  // Of rules about several fields at once, the words name these themselves.
  for (const { text, place } of all) t.regex(text, /^(has to|must|needs) |[a-z_]+ (is|are) needed$|: /, place)
})

const faultOf = (schema: z.ZodType, value: unknown): string => {
  return told(() => validInput(z.object({ field: schema }), { field: value })).replace(/^invalid-request: /, '')
}

/** What a call is refused with; nothing when it is not. */
const told = (call: () => unknown): string => {
  try {
    call()
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  return ''
}

test('X-ERR-01 what is wrong with a field is said in plain words, once, whatever it is', (t) => {
  for (const [schema, value, expected] of [
    [z.string(), undefined, 'field: is missing: a text is expected'],
    [z.string(), 7, 'field: has to be a text'],
    [z.number(), '7', 'field: has to be a number'],
    [z.int(), 1.5, 'field: has to be a whole number'],
    [z.boolean(), 'yes', 'field: has to be true or false'],
    [z.array(z.string()), {}, 'field: has to be a list'],
    [z.object({}), [], 'field: has to be an object'],
    [z.string().min(1), '', 'field: must not be empty'],
    [z.string().max(3), 'long', 'field: has to have at most 3 characters'],
    [z.array(z.int()).max(1), [1, 2], 'field: has to have at most 1 entry'],
    [z.int().min(5), 4, 'field: has to be at least 5'],
    [z.number().positive(), -1, 'field: has to be above 0'],
    [z.enum(['a', 'b']), 'c', 'field: has to be one of "a", "b"'],
    [z.literal('x'), 'c', 'field: has to be "x"'],
    [z.email(), 'nobody', 'field: has to be an email address'],
    [z.url(), 'nowhere', 'field: has to be a URL'],
    [z.string().regex(/^[a-z]{3}$/), 'A', 'field: has to be of the form that the documentation shows'],
    [z.string().regex(/^[a-z]{3}$/, 'three letters'), 'A', 'field: three letters'],
    [z.strictObject({ a: z.int().optional() }), { b: 1 }, 'field.b: this name is not known (known: a)'],
    [z.custom<string>(() => false), 1, 'field: is not what is taken here'],
    [FiatAmount, -1, 'field: has to be above 0'],
    [FiatAmount, 1.123_456_7, 'field: has to have at most 6 places after the point'],
  ] as const)
    t.is(faultOf(schema, value), expected)
})

test('X-ERR-01 no schema of any endpoint answers wrong values in the words of a library', (t) => {
  const wrong: readonly unknown[] = [{}, [], '', 'x', -1, 1.5, true, null]
  const foreign = new Set<string>()
  for (const { endpoints } of surfaces())
    for (const { path, body, query } of endpoints)
      for (const schema of [body, query])
        if (schema instanceof z.ZodObject)
          for (const name of Object.keys(schema.shape))
            for (const value of wrong) {
              const message = told(() => validInput(schema, { [name]: value }))
              if (FOREIGN.test(message)) foreign.add(`${path} ${name}: ${message}`)
            }
  t.deepEqual([...foreign], [])
})

import { readFileSync } from 'node:fs'
import test from 'ava'
import { ENVIRONMENT_ONLY, OPTIONS } from './server-options.ts'

/**
 * The configuration of EventStoreDB that we hand out is one that its servers take; they end at an option that they do
 * not know.
 */

const fileOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The keys of a configuration file, those that stand commented beside included. */
const keysOf = (text: string) => [...text.matchAll(/^(?:# )?([A-Z][A-Za-z]+):(?= \S)/gm)].map(([, key = '']) => key)

/** Keys that end a server, with the reason. */
const faultsOf = (text: string) =>
  keysOf(text).flatMap((key) => {
    if (!OPTIONS.has(key)) return [`${key} is not known`]
    return ENVIRONMENT_ONLY.has(key) ? [`${key} is for the environment alone`] : []
  })

/** `EVENTSTORE_TELEMETRY_OPTOUT` is `TelemetryOptout`. */
const variablesOf = (text: string) =>
  [...text.matchAll(/\bEVENTSTORE_([A-Z_]+[A-Z])\b/g)].map(([, name = '']) =>
    name
      .split('_')
      .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
      .join(''),
  )

const file = fileOf('eventstore.yml').replace(/^# Use: .*$/m, '')

test('each key of eventstore.yml is one that servers of 23.10, 24.10 and 25.0 take from a file', (t) => {
  t.true(keysOf(file).length > 25)
  t.deepEqual(faultsOf(file), [])
  t.deepEqual(faultsOf(`${file}\nTelemetryOptout: true\n# NodeIpp: 0.0.0.0\n`), [
    'TelemetryOptout is for the environment alone',
    'NodeIpp is not known',
  ])
})

test('what a server takes from its environment alone is there, in the file for containers and in the guide', (t) => {
  const container = fileOf('eventstore.compose.yml')
  t.deepEqual([...new Set(variablesOf(container))].sort(), [...ENVIRONMENT_ONLY].sort())
  t.regex(container, /EVENTSTORE_TELEMETRY_OPTOUT: "true"/)
  const guide = fileOf('docs/operations.md')
  for (const variable of ['DEFAULT_ADMIN_PASSWORD', 'DEFAULT_OPS_PASSWORD', 'TELEMETRY_OPTOUT=true'])
    t.true(guide.includes(`EVENTSTORE_${variable}`), variable)
})

/** The catalogue of events as a page. */

import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { postedTypes } from '../../domain/reading/journal.ts'
import { versionOf } from '../../domain/write-side/upcasts.ts'
import { timelineProjection } from '../../projections/audit/timeline.ts'
import { projections } from '../../projections/index.ts'
import type { Catalogue, EventField } from './events.ts'

export function markdown({ aggregates, types }: Catalogue): string {
  return `${[
    '# Events',
    'Written by `npm run catalogue` from the sources in `domain/`; not edited by hand.',
    aggregates
      .map(({ name, events }) => `- [${name}](#${name.toLowerCase()}): ${events.map(({ type }) => type).join(', ')}`)
      .join('\n'),
    ...aggregates.flatMap(({ name, stream, file, purpose, events }) => [
      `## ${name}`,
      `Stream \`${stream}\`, from [${file}](../${file}). ${purpose}`,
      ...events.flatMap(({ type, doc, fields, commands }) => [
        `### ${type}`,
        ...paragraph(doc, remarks(type)),
        followed(name, commands, followersOf(type)),
        table(fields),
      ]),
    ]),
    '## Types',
    ...types.flatMap(({ name, doc, text, fields }) => [
      `### ${name}`,
      ...paragraph(doc, text ? `\`${text}\`` : ''),
      ...(fields.length > 0 ? [table(fields)] : []),
    ]),
  ].join('\n\n')}\n`
}

/** Who decides an event, who answers it, and what shows it. */
function followed(name: string, commands: readonly string[], { reactions, readModels }: Followers): string {
  const named = (list: readonly string[]) => (list.length > 0 ? list.map((each) => `\`${each}\``).join(', ') : 'nobody')
  const decided = named(commands.map((command) => `${name}.${command}`))
  return `Decided by ${decided}. Answered by ${named(reactions)}. Shown by ${named(readModels)}.`
}

function paragraph(...parts: string[]): string[] {
  const text = parts.filter((part) => part !== '').join(' ')
  return text === '' ? [] : [text]
}

function remarks(type: string): string {
  const money = postedTypes.some((posted) => posted === type) ? 'It moves money: the journal has its postings.' : ''
  const version = versionOf(type)
  return paragraph(money, version > 1 ? `It is stored as version ${version}.` : '').join('')
}

function table(fields: readonly EventField[]): string {
  const rows = fields.map(({ name, optional, type, doc }) => {
    const cells = [`${name}${optional ? '?' : ''}`, `\`${type}\``, doc]
    return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}

type Followers = {
  /** Policies and effects, by name. */
  readonly reactions: readonly string[]
  /** Read models with their tables: `challenges (challenges, payments)`. */
  readonly readModels: readonly string[]
}

/** Who follows an event of a type; the timeline shows all of them and is left out. */
const followersOf = (type: string): Followers => ({
  reactions: [...policies, ...effects].flatMap((each) => (answers(each, type) ? [each.name] : [])),
  readModels: projections
    .filter(({ name, on }) => type in on && name !== timelineProjection.name)
    .map(({ name, tables }) =>
      withTables(
        name,
        tables.map((table) => table.name),
      ),
    ),
})

const answers = (each: (typeof policies)[number] | (typeof effects)[number], type: string): boolean =>
  'types' in each ? each.types.some((own) => own === type) : type in each.on

/** A read model with its tables; a single table that has the same name is left out. */
const withTables = (name: string, tables: readonly string[]): string =>
  tables.length === 1 && tables[0] === name ? name : `${name} (${tables.join(', ')})`

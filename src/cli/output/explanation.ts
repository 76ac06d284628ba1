import { HELP_WIDTH, twoColumns } from '../help/help-layout.ts'
import { wrap } from '../terminal/wrap.ts'
import type { ExplainResult, FieldDetails, FieldResult } from '../results/explain-result.ts'

/** A field of a spec, as `kubectl explain` shows one; with `isTree`, the fields below it without descriptions. */
export function explanationText(
  { field, fields }: ExplainResult,
  { isTree }: { isTree: boolean },
): string {
  const list = isTree ? tree(fields, field?.path) : fields.flatMap(linesOfField)
  const blocks = [
    field === null
      ? 'SPEC: the fields of a control plane'
      : `FIELD: ${field.path} <${field.type}>${requirement(field)}`,
    ...(field === null ? [] : explained(field)),
    ...(list.length === 0 ? [] : [['FIELDS:', ...list].join('\n')]),
  ]
  return blocks.join('\n\n')
}

function explained(field: FieldDetails): string[] {
  const { description } = field
  const facts = [
    ['DEFAULT:', defaultsOf(field)],
    ['VALUES:', valuesOf(field)],
    ['CHANGE:', changeOf(field)],
    ['INSTEAD:', field.fixed?.instead.join('; ') ?? ''],
  ] as const
  const known = facts.filter(([, text]) => text !== '')
  return [
    ...(description === null ? [] : [['DESCRIPTION:', ...indented(description)].join('\n')]),
    twoColumns(known, { width: HELP_WIDTH, indent: 0 }).join('\n'),
  ]
}

function defaultsOf({ defaults }: FieldDetails): string {
  return defaults
    .map(({ of, value }) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return of.length === 0 ? text : `${text} (${of.join(', ')})`
    })
    .join('; ')
}

function valuesOf({ maximum, minimum, values }: FieldDetails): string {
  if (values !== null) {
    return values.join(', ')
  }
  const ends = [minimum === null ? '' : `${minimum}`, maximum === null ? '' : `${maximum}`]
  return ends.every((end) => end !== '') ? ends.join(' to ') : ''
}

function changeOf({ fixed, restarts }: FieldDetails): string {
  if (fixed !== null) {
    return `is refused, because ${fixed.why}`
  }
  const [last = 'nothing', ...others] = restarts.toReversed()
  return `restarts ${[others.toReversed().join(', '), last].filter((text) => text !== '').join(' and ')}`
}

function linesOfField(field: FieldResult): string[] {
  const name = field.path.split('.').at(-1)
  return [
    `  ${name} <${field.type}>${requirement(field)}`,
    ...(field.description === null ? [] : indented(field.description)),
  ]
}

/** `apiServer <Object>`, and what is below it indented. */
function tree(fields: readonly FieldResult[], above = ''): string[] {
  const depth = above === '' ? 0 : above.split('.').length
  return fields.map(({ path, type, ...field }) => {
    const names = path.split('.')
    const indent = '  '.repeat(names.length - depth)
    return `${indent}${names.at(-1)} <${type}>${requirement(field)}`
  })
}

function requirement({ required }: Pick<FieldResult, 'required'>): string {
  return required ? ' -required-' : ''
}

function indented(text: string): string[] {
  return wrap(text, HELP_WIDTH - 4).map((line) => `    ${line}`)
}

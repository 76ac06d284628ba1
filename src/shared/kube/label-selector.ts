import { VplaneError } from '../errors.ts'

/** A valid name of a label, with its prefix. */
export const LABEL_NAME =
  /^((?=[^/]{1,253}\/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** A valid value of a label. */
export const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/

export type Labels = Readonly<Record<string, string>>

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelRequirement[]
}

export interface LabelRequirement {
  key: string
  operator: string
  values?: string[]
}

const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  '<': 'Lt',
  '>': 'Gt',
}

/**
 * The requirements of a selector as kubectl takes it: `team=shop,env!=prod,tier in (a,b),!legacy`.
 *
 * @throws {VplaneError} `USAGE` with the term that is wrong.
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  // Commas in parentheses separate values.
  const terms = selector.trim() === '' ? [] : selector.split(/,(?![^(]*\))/)
  return terms.map((term) => {
    const parsed = parseTerm(term.trim())
    if (typeof parsed === 'string') {
      throw new VplaneError('USAGE', `"${term.trim() || selector}": ${parsed}`, {
        hints: ['such as "team=shop,env!=prod,tier in (a,b),!legacy"'],
      })
    }
    return parsed
  })
}

/** One requirement, or what is wrong with it. */
function parseTerm(term: string): LabelRequirement | string {
  const [, not, key = '', rest = ''] = /^(!?)\s*([^\s=!<>(),]*)\s*(.*)$/s.exec(term) ?? []
  if (key === '') {
    return term === '' ? 'a term is empty' : 'it does not start with the name of a label'
  }
  if (!LABEL_NAME.test(key)) {
    return `"${key}" is not a valid label name`
  }
  if (rest === '') {
    return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists' }
  }
  const [, word = '', text = ''] = /^(==?|!=|[<>]|(?:in|notin)\b)\s*(.*)$/s.exec(rest) ?? []
  const operator = OPERATORS[word]
  if (operator === undefined) {
    return `no operator follows "${key}": =, !=, in, notin, < or >`
  }
  if (not === '!') {
    return '"!" needs a name alone'
  }
  const [, list] = /^\((.*)\)$/s.exec(text) ?? []
  const isList = word.endsWith('in')
  if (isList && (list ?? '').trim() === '') {
    return `no values in parentheses follow "${word}"`
  }
  const values = isList ? (list ?? '').split(',').map((value) => value.trim()) : [text]
  const wrong = values.find((value) => !LABEL_VALUE.test(value))
  if (wrong !== undefined) {
    return `"${wrong}" is not a valid label value`
  }
  return /^[<>]$/.test(word) && !/^\d+$/.test(text)
    ? `"${text}" is not a whole number`
    : { key, operator, values }
}

/** Whether a selector selects an object with these labels. */
export function isSelected(
  { matchExpressions = [], matchLabels = {} }: LabelSelector,
  labels: Labels,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => isMet(requirement, labels))
  )
}

function isMet({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return Number(value) > Number(values[0])
    case 'Lt':
      return Number(value) < Number(values[0])
    default:
      return false
  }
}

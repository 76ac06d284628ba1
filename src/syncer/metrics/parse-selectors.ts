import type { KubeObject } from '../../kube/kube-object.ts'

/** Tells whether an object is meant. */
export type Selector = (object: Pick<KubeObject, 'metadata'>) => boolean

/** A term of a label selector, with the test that it makes of a label's value, undefined where there is none. */
type Test = (value: string | undefined) => boolean
type Rule = readonly [pattern: RegExp, test: (operand: string) => Test]

const KEY = String.raw`([A-Za-z0-9][-A-Za-z0-9_./]*)`
const VALUE = String.raw`([-A-Za-z0-9_.]*)`

/** As k8s.io/apimachinery/pkg/labels takes them. */
const LABEL_RULES: readonly Rule[] = [
  [termOf(`! *${KEY}`), () => (value) => value === undefined],
  [termOf(KEY), () => (value) => value !== undefined],
  [termOf(`${KEY} *==? *${VALUE}`), (wanted) => (value) => value === wanted],
  [termOf(`${KEY} *!= *${VALUE}`), (other) => (value) => value !== other],
  [termOf(`${KEY} +in *\\(([^()]*)\\)`), (list) => isOneOf(list)],
  [termOf(`${KEY} +notin *\\(([^()]*)\\)`), (list) => (value) => !isOneOf(list)(value)],
  [termOf(`${KEY} *> *(\\d+)`), (least) => (value) => Number(value) > Number(least)],
  [termOf(`${KEY} *< *(\\d+)`), (most) => (value) => Number(value) < Number(most)],
]

const FIELD_RULES = LABEL_RULES.slice(2, 4)

/** The fields that every object has. */
const FIELDS: Record<string, (object: Pick<KubeObject, 'metadata'>) => string> = {
  'metadata.name': ({ metadata }) => metadata.name ?? '',
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
}

/**
 * The objects that the query of a list means: those that `labelSelector` and `fieldSelector` select.
 *
 * @returns a text that says what of them cannot be understood
 */
export function parseSelectors(query: URLSearchParams): Selector | string {
  const labels = termsOf(query.get('labelSelector'))
  const fields = termsOf(query.get('fieldSelector'))
  const selectors: Selector[] = []
  for (const term of labels) {
    const found = findRule(LABEL_RULES, term)
    if (found === undefined) {
      return `unable to parse label selector: "${term}"`
    }
    selectors.push(({ metadata }) => found.test(metadata.labels?.[found.key]))
  }
  for (const term of fields) {
    const found = findRule(FIELD_RULES, term)
    const read = found === undefined ? undefined : FIELDS[found.key]
    if (found === undefined || read === undefined) {
      return `field selector "${term}" is not supported: only metadata.name and metadata.namespace are`
    }
    selectors.push((object) => found.test(read(object)))
  }
  return (object) => selectors.every((selects) => selects(object))
}

function findRule(rules: readonly Rule[], term: string): { key: string; test: Test } | undefined {
  for (const [pattern, test] of rules) {
    const [whole, key = '', operand = ''] = pattern.exec(term) ?? []
    if (whole !== undefined) {
      return { key, test: test(operand) }
    }
  }
  return undefined
}

/** Commas between parentheses are between values. */
function termsOf(text: string | null): string[] {
  return text === null || text.trim() === ''
    ? []
    : text.split(/,(?![^(]*\))/).map((term) => term.trim())
}

function isOneOf(list: string): Test {
  const values = list.split(',').map((value) => value.trim())
  return (value) => value !== undefined && values.includes(value)
}

function termOf(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

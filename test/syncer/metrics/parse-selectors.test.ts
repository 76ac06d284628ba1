import { expect, test } from 'vitest'
import { parseSelectors } from '../../../src/syncer/metrics/parse-selectors.ts'

const WEB = { app: 'web', tier: 'front', size: '3' }
const OBJECTS = [
  { metadata: { name: 'web', namespace: 'default', labels: WEB } },
  { metadata: { name: 'db', namespace: 'data', labels: { app: 'db', 'a.b/c': '' } } },
  { metadata: { name: 'bare', namespace: 'default' } },
]

function selected(query: Record<string, string>): string[] | string {
  const selects = parseSelectors(new URLSearchParams(query))
  return typeof selects === 'string'
    ? selects
    : OBJECTS.filter(selects).map(({ metadata }) => metadata.name)
}

test.for([
  ['', ['web', 'db', 'bare']],
  ['app', ['web', 'db']],
  ['!app', ['bare']],
  ['app=web', ['web']],
  ['app==web', ['web']],
  [' app = web , tier = front ', ['web']],
  ['app!=web', ['db', 'bare']],
  ['app in (web, db)', ['web', 'db']],
  ['app in (web,db),tier', ['web']],
  ['app notin (web)', ['db', 'bare']],
  ['a.b/c=', ['db']],
  ['size>2', ['web']],
  ['size<3', []],
  ['app=web,app=db', []],
] as const)('selects by the labels %j', ([labelSelector, names]) => {
  expect(selected({ labelSelector })).toEqual(names)
})

test.for([
  ['metadata.name=web', ['web']],
  ['metadata.namespace!=default', ['db']],
  ['metadata.namespace==default,metadata.name!=web', ['bare']],
] as const)('selects by the fields %j', ([fieldSelector, names]) => {
  expect(selected({ fieldSelector })).toEqual(names)
})

const UNSUPPORTED = 'is not supported: only metadata.name and metadata.namespace are'

test.for([
  [{ labelSelector: ',' }, 'unable to parse label selector: ",": a term is empty'],
  [{ fieldSelector: 'spec.nodeName=a' }, `field selector "spec.nodeName=a" ${UNSUPPORTED}`],
  [{ fieldSelector: 'metadata.name' }, `field selector "metadata.name" ${UNSUPPORTED}`],
] as const)('says what it does not understand: %j', ([query, message]) => {
  expect(selected({ ...query })).toBe(message)
})

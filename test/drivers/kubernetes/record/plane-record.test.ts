import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isWokenByAny } from '../../../../src/control-plane/plane/is-woken-by-any.ts'
import {
  parsePlaneRecord,
  type PlaneRecord,
  toPlane,
  unfinishedOf,
} from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { thrownBy } from '../../../support/thrown-by.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const GOLDEN = join(import.meta.dirname, '../fixtures/record-v1.json')
const PLACE = { namespace: 'team-a', hostContext: 'lab' }

test('still reads the first format', async () => {
  const text = await readFile(GOLDEN, 'utf8')

  const record = parsePlaneRecord(text, 'the Secret')

  expect(record).toEqual(JSON.parse(text))
  expect(toPlane(record, PLACE)).toMatchObject({
    driver: 'kubernetes',
    name: 'golden',
    namespace: 'team-a',
    hostContext: 'lab',
    id: '5f0d6f0e-2c0b-4f3c-9d39-3f1b6f2f7a10',
    createdAt: new Date('2026-01-02T03:04:05.678Z'),
    writtenBy: '0.1.0',
    desired: 'paused',
    userSpec: { version: '1.36' },
    spec: { version: '1.36.3', host: { preset: 'nano' } },
  })
})

test.for([
  { outcome: 'only contexts wake, as it was stored before there was another way' },
  { wake: { by: 'any' }, outcome: 'any client wakes, as it says' },
])('reads a plane that pauses itself, which $outcome', async ({ wake }) => {
  const golden = JSON.parse(await readFile(GOLDEN, 'utf8'))
  const idle = '30m'
  const spec = { ...golden.spec, idle, ...(wake && { wake }) }
  const text = JSON.stringify({ ...golden, userSpec: { idle }, spec, idleSince: golden.createdAt })

  const plane = toPlane(parsePlaneRecord(text, 'the Secret'), PLACE)

  expect(plane).toMatchObject({ desired: 'paused', spec: { idle } })
  expect(isWokenByAny(plane)).toBe(wake !== undefined)
})

interface Interrupted {
  /** The command of vplane 0.1.0 that was killed before one of its writes, on a host in memory. */
  interrupted: string
  unfinished: string[]
  /** The fields that differ; null stands for the spec. */
  record: Partial<PlaneRecord>
}

const INTERRUPTED: Interrupted[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/unfinished-v1.json'), 'utf8'),
)

test.for(INTERRUPTED)(
  'reads what an interrupted "$interrupted" left: $unfinished',
  async (left) => {
    const { journal: _none, ...golden } = JSON.parse(await readFile(GOLDEN, 'utf8'))
    const { previousSpec, ...fields } = left.record
    const former = previousSpec === null ? { previousSpec: golden.spec } : {}
    const text = JSON.stringify({ ...golden, ...fields, ...former })

    const record = parsePlaneRecord(text, 'the Secret')

    expect(record).toEqual(JSON.parse(text))
    expect(unfinishedOf(record).map(({ kind }) => kind)).toEqual(left.unfinished)
  },
)

test('shows no stored fields in a plane', () => {
  const plane = toPlane(planeRecordOf('dev'), PLACE)

  expect(Object.keys(plane)).not.toContain('hasKeys')
  expect(plane.desired).toBe('running')
})

test('converts a plane with retained data to a paused plane', () => {
  expect(toPlane(planeRecordOf('dev', { desired: 'kept' }), PLACE).desired).toBe('paused')
})

test('names the vplane that a newer format needs', () => {
  const newer = { ...planeRecordOf('dev'), formatVersion: 2, writtenBy: '9.8.7', more: true }

  expect(thrownBy(() => parsePlaneRecord(JSON.stringify(newer), 'the Secret'))).toMatchObject({
    code: 'FAILED',
    message: 'the Secret was written in a newer format: vplane 9.8.7 or later is needed',
    hints: ['npm install --global vplane@9.8.7'],
  })
})

test('refuses a newer format that does not name its vplane', () => {
  const error = thrownBy(() => parsePlaneRecord('{"formatVersion": 3}', 'the Secret'))

  expect(error.message).toContain('vplane unknown or later')
})

test.for(['', '{"formatVersion":1,"name":"de', 'null', '[]', '"plane"', '42', '{}'])(
  'reports a Secret with %j as damaged',
  (text) => {
    expect(thrownBy(() => parsePlaneRecord(text, 'the Secret'))).toMatchObject({
      code: 'FAILED',
      message: expect.stringMatching(/^the Secret is damaged: /),
    })
  },
)

test.for([
  ['name', 7],
  ['id', undefined],
  ['createdAt', 'yesterday, I think'],
  ['desired', 'asleep'],
  ['hasKeys', 'yes'],
  ['isComplete', undefined],
  ['hasData', 1],
  ['createdNamespace', undefined],
  ['userSpec', null],
  ['spec', { version: '1.36.3' }],
  ['spec', { ...planeRecordOf('dev').spec, host: undefined }],
  ['templates', ['/x']],
  ['templates', { folder: '/x', files: { 'a.yaml': 1 } }],
  ['certificatesExpireAt', 'never'],
  ['hostGivesIds', 'no'],
  ['collections', 'all'],
  ['collections', [7]],
  ['journal', { operation: 'create' }],
] as const)('reports a record whose %s is %j as damaged', ([field, value]) => {
  const record = { ...planeRecordOf('dev'), [field]: value }

  expect(() => parsePlaneRecord(JSON.stringify(record), 'the Secret')).toThrow(
    'the Secret is damaged: fields are missing or of the wrong type',
  )
})

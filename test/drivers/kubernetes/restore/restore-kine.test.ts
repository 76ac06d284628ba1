import { expect, test } from 'vitest'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { fieldAt } from '../../../../src/shared/json-fields.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { DATABASE_SPEC } from '../database/database-host.ts'
import { KEYS, planeWithKine, SET, SQLITE } from './kine-plane.ts'

const FORMER = 'kine-before-20260601T120000'
const FLOOR = 1_000_000_042

test('loads the data while kine runs, and exchanges them while it does not', async () => {
  const { cluster, done, restore } = await planeWithKine({})

  await restore({
    untilAnswers: async () => {
      done.push(['answers', cluster.pods().length])
    },
  })

  expect(done).toEqual([
    [`load compact_rev_key,${KEYS.join()}`, 4],
    [`exchange ${FORMER}`, 1],
    ['answers', 3],
    [`drop ${FORMER}`, 4],
  ])
  const record = cluster.recordOf('dev')
  expect(record).toMatchObject({ desired: 'running', hasData: true, revisionFloor: FLOOR })
  expect(record).not.toHaveProperty('restoring')
  expect(record).not.toHaveProperty('journal')
})

test('retains the former data when no snapshot has them, and names their place', async () => {
  const { cluster, done, restore } = await planeWithKine({})

  await restore({ keepFormer: true })

  expect(done.map(([action]) => action)).not.toContain(`drop ${FORMER}`)
  expect(cluster.ui.notes).toContain(`Its former data is retained in "${FORMER}" in its database`)
})

test('begins an interrupted restore again, and keeps what was there before the first one', async () => {
  const { cluster, done, restore } = await planeWithKine({})
  const cutOff = () => Promise.reject(new VplaneError('ABORTED', 'cut off'))
  const first = await rejectionOf(restore({ untilAnswers: cutOff, keepFormer: true }))
  const between = cluster.recordOf('dev')
  cluster.time = new Date('2026-06-02T12:00:00Z')
  done.length = 0

  await restore()

  expect(first.message).toBe('cut off')
  expect(between).toMatchObject({ restoring: { former: FORMER, from: '/its/name' } })
  expect(done.map(([action]) => action).slice(1)).toEqual([`exchange ${FORMER}`])
  expect(cluster.recordOf('dev')).toMatchObject({ revisionFloor: FLOOR + 1_000_000_000 })
})

test('drops the former data later that it could not drop at its end', async () => {
  const { cluster, done, restore, server } = await planeWithKine({})
  const { onData } = server
  server.onData = (action) => {
    if (action.startsWith('drop')) {
      throw new VplaneError('UNREACHABLE', 'the server is away')
    }
    onData(action)
  }
  await restore()
  const between = cluster.recordOf('dev')
  server.onData = onData
  cluster.time = new Date('2026-06-02T12:00:00Z')
  done.length = 0

  await restore()

  expect(between).toMatchObject({ formerData: FORMER, hasData: true })
  expect(between).not.toHaveProperty('journal')
  expect(cluster.ui.warnings).toEqual([
    `Its former data stays in "${FORMER}" in its database until the next restore: the server is away`,
  ])
  const dropped = done.map(([action]) => action).filter((action) => action.startsWith('drop'))
  expect(dropped).toEqual([`drop ${FORMER}`, 'drop kine-before-20260602T120000'])
  expect(cluster.recordOf('dev')).not.toHaveProperty('formerData')
})

test.for([
  ['running', 3],
  ['paused', 0],
] as const)(
  'puts the former data of a plane that was %s back when others arrive',
  async ([desired, count]) => {
    const { cluster, context, done, restore } = await planeWithKine({ found: KEYS.slice(1) })
    if (desired === 'paused') {
      await pausePlane(context, await cluster.stored('dev'), cluster.operation())
    }

    const error = await rejectionOf(restore())

    expect(error).toMatchObject({
      code: 'FAILED',
      message:
        'kine of "dev" has 1 keys that are not the 2 of the snapshot; it has its former data again',
    })
    expect(done.at(-1)).toEqual([`put back ${FORMER}`, 1])
    expect(cluster.pods()).toHaveLength(count)
    expect(cluster.recordOf('dev')).toMatchObject({ desired })
    expect(cluster.recordOf('dev')).not.toHaveProperty('restoring')
    expect(cluster.recordOf('dev')).not.toHaveProperty('formerData')
  },
)

test('continues with its data when the server does not exchange them', async () => {
  const { cluster, done, restore, server } = await planeWithKine({})
  const { onData } = server
  server.onData = (action) => {
    onData(action)
    if (action.startsWith('exchange')) {
      throw new VplaneError('FAILED', 'Lock wait timeout exceeded')
    }
  }

  const error = await rejectionOf(restore())

  expect(error).toMatchObject({
    code: 'FAILED',
    message: 'Lock wait timeout exceeded; it has its former data again',
    hints: ['run the command again when the server accepts it'],
  })
  expect(done.at(-1)).toEqual([`put back ${FORMER}`, 1])
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running', hasData: true })
  expect(cluster.recordOf('dev')).not.toHaveProperty('restoring')
  expect(cluster.recordOf('dev')).not.toHaveProperty('formerData')
})

test.for([
  ['the snapshot is of etcd', { bytes: Buffer.from('a database') }, 'UNSUPPORTED'],
  ['the snapshot is incomplete', { cut: 8 }, 'FAILED'],
  ['the server cannot be reached', { isDown: true }, 'UNREACHABLE'],
] as const)('stops nothing when %s', async ([, given, code]) => {
  const { cluster, restore } = await planeWithKine(given)
  const before = { record: cluster.recordOf('dev'), pods: cluster.pods() }

  const error = await rejectionOf(restore())

  expect(error.code).toBe(code)
  expect({ record: cluster.recordOf('dev'), pods: cluster.pods() }).toEqual(before)
})

test('lets the pod of kine replace its file of sqlite, which has its usual template then', async () => {
  const { cluster, restore, templates } = await planeWithKine({ spec: SQLITE })

  await restore()

  expect(templates).toEqual([[], ['receive-snapshot', 'place-data'], []])
  expect(fieldAt(cluster.api.objects.get(SET), 'spec', 'replicas')).toBe(1)
  expect(cluster.recordOf('dev')).toMatchObject({ hasData: true, revisionFloor: FLOOR })
})

test('lets the pod of kine put the former file back', async () => {
  const { cluster, restore, templates } = await planeWithKine({ spec: SQLITE, found: [] })

  const error = await rejectionOf(restore())

  expect(error.message).toContain('it has its former data again')
  expect(templates).toEqual([[], ['receive-snapshot', 'place-data'], [], ['place-data'], []])
  expect(cluster.pods()).toHaveLength(3)
})

test.for([
  ['a database', DATABASE_SPEC],
  ['sqlite', SQLITE],
] as const)('makes the data of a plane from a bundle with %s, which had none', async ([, spec]) => {
  const { cluster, restore } = await planeWithKine({ spec, isNew: true })
  const before = cluster.pods()

  await restore()

  expect(before).toEqual([])
  expect(cluster.pods()).toHaveLength(3)
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'running', hasData: true })
  expect(cluster.recordOf('dev')).not.toHaveProperty('restoring')
})

test('puts nothing back where nothing was, and can be run again', async () => {
  const { cluster, done, restore } = await planeWithKine({ isNew: true, found: [] })

  const error = await rejectionOf(restore())

  expect(error.message).toMatch(/ keys that are not the 2 of the snapshot$/)
  expect(done.map(([action]) => action)).not.toContain('put back etcd-before')
  expect(cluster.recordOf('dev')).toHaveProperty('restoring.from', '/its/name')
})

test('leaves a file alone that is in the pod of kine', async () => {
  const { cluster, restore } = await planeWithKine({ spec: { ...SQLITE, ephemeral: true } })
  const before = cluster.pods()

  const error = await rejectionOf(restore())

  expect(error.message).toContain('its data is in the pod of kine')
  expect(cluster.pods()).toEqual(before)
})

test.for([
  ['a database', DATABASE_SPEC],
  ['sqlite', SQLITE],
] as const)('can be killed before any write with %s, and run again', async ([, spec]) => {
  for (let writes = 0, isKilled = true; isKilled; writes += 3) {
    const { cluster, restore } = await planeWithKine({ spec })
    let left = writes
    isKilled = false
    cluster.api.hooks.onRequest = ({ verb }) => {
      left -= ['get', 'list', 'watch', 'stream'].includes(verb) ? 0 : 1
      if (left < 0) {
        isKilled = true
        throw new VplaneError('ABORTED', 'killed')
      }
    }
    await restore().catch(() => undefined)
    cluster.api.hooks.onRequest = () => {}
    // Its Lease has expired.
    cluster.time = new Date('2026-06-02T12:00:00Z')

    await restore()

    const record = cluster.recordOf('dev')
    expect(record, `killed before write ${writes}`).toMatchObject({
      desired: 'running',
      hasData: true,
    })
    expect(record).not.toHaveProperty('restoring')
    expect(record).not.toHaveProperty('formerData')
    expect(record).not.toHaveProperty('journal')
    expect(cluster.pods()).toHaveLength(3)
    expect(fieldAt(cluster.api.objects.get(SET), 'spec', 'template', 'spec')).not.toHaveProperty(
      'initContainers',
    )
  }
})

import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import type { Diagnosis, PlaneFault } from '../../../../src/control-plane/driver/repair.ts'
import {
  repairControlPlane,
  type RepairOptions,
} from '../../../../src/control-plane/use-cases/repair/repair-control-plane.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { DriverName } from '../../../../src/control-plane/spec/driver-name.ts'
import { omitUndefined } from '../../../../src/shared/omit-undefined.ts'
import { etcdSnapshot } from '../../../support/data/etcd-snapshot.ts'
import { worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()

const STUCK: PlaneFault = {
  component: 'kube-apiserver',
  instance: 'api-0',
  reason: 'it does not become ready',
  remedy: 'restart',
}
const LOST: PlaneFault = {
  component: 'etcd',
  instance: 'etcd-0',
  reason: 'its data is lost',
  remedy: 'choose',
}
const NO_MAJORITY: Diagnosis = {
  faults: [LOST, { ...LOST, instance: 'etcd-1' }],
  survivors: [{ instance: 'etcd-2', revision: 41 }],
}

test('reports that nothing is wrong, and changes nothing', async () => {
  const { calls, repair } = await planeWith()

  expect(await repair()).toMatchObject({ faults: [], isRepaired: false })
  expect(calls()).toEqual(['diagnose dev'])
})

test('repairs what it showed, after a yes', async () => {
  const { calls, composition, repair } = await planeWith({ diagnoses: [{ faults: [STUCK] }] })

  const result = await repair({ isConfirmed: true })

  expect(result).toMatchObject({
    isRepaired: true,
    steps: [{ action: 'restart-instance', instance: 'api-0' }],
  })
  expect(calls()).toEqual(['diagnose dev', 'repair dev'])
  expect(composition.ui.notes).toContain('  api-0: it does not become ready')
})

test.for([
  ['a no', false, 'ABORTED'],
  ['a dry run', true, undefined],
] as const)('leaves the plane as it is after %s', async ([, isDryRun, code]) => {
  const { calls, repair } = await planeWith({ diagnoses: [{ faults: [STUCK] }], answers: [false] })

  const outcome = await repair({ isDryRun }).catch((error: unknown) => error)

  expect(outcome).toMatchObject(code === undefined ? { isRepaired: false } : { code })
  expect(calls()).toEqual(['diagnose dev'])
})

test('repairs what it can, and reports what the user must do', async () => {
  const image: PlaneFault = {
    ...STUCK,
    instance: 'manager-0',
    reason: 'its image cannot be had',
    remedy: 'none',
    hints: ['set images.registry'],
  }
  const { calls, repair } = await planeWith({ diagnoses: [{ faults: [STUCK, image] }] })

  const error = await rejectionOf(repair({ isConfirmed: true }))

  expect(error).toMatchObject({ code: 'NEEDS_ATTENTION', hints: ['set images.registry'] })
  expect(error.message).toContain('manager-0: its image cannot be had')
  expect(calls()).toContain('repair dev')
})

test('names the restore, and how old the newest snapshot is, when there is no other copy', async () => {
  const lost = { ...LOST, remedy: 'restore', hints: ['bring its disk back'] } as const
  const { calls, repair } = await planeWith({ diagnoses: [{ faults: [lost] }], snapshotAt: -3 })

  const error = await rejectionOf(repair({ isConfirmed: true }))

  const restore = /3h ago: vplane restore dev --namespace default --force --from dev-/
  expect(error).toMatchObject({
    code: 'NEEDS_ATTENTION',
    message: expect.stringContaining('etcd-0 of "dev": its data is lost'),
    hints: [expect.stringMatching(restore), 'bring its disk back'],
  })
  expect(calls()).not.toContain('repair dev')
})

test.for([
  ['nobody chose', { isConfirmed: true }],
  ['nobody can be asked', {}],
  ['it is a dry run', { isDryRun: true }],
] as const)(
  'offers each strategy and takes none when most are lost and %s',
  async ([, options]) => {
    const { calls, repair } = await planeWith({ diagnoses: [NO_MAJORITY] })

    const error = await rejectionOf(repair(options))

    expect(error.code).toBe('NEEDS_ATTENTION')
    expect(error.hints.map((hint) => /--(?:wait|from-survivor|force)/.exec(hint)?.[0])).toEqual([
      '--wait',
      '--from-survivor',
      '--force',
    ])
    expect(calls()).toEqual(['diagnose dev'])
  },
)

test('continues with the survivor that has the latest data when the user chose that', async () => {
  const { calls, composition, repair } = await planeWith({ diagnoses: [NO_MAJORITY] })

  const result = await repair({ isConfirmed: true, strategy: 'from-survivor' })

  expect(result).toMatchObject({ isRepaired: true, survivors: NO_MAJORITY.survivors })
  expect(calls()).toContain('snapshot dev of etcd-2')
  expect(calls()).toContain('restore dev after 41, keeping all')
  expect(composition.ui.notes.join()).toContain('The data of etcd-2 is stored as snapshot dev-')
})

test('gives waiting survivors a majority before it continues with their data', async () => {
  const survivors = [
    { instance: 'etcd-2', revision: 41, isWaiting: true },
    { instance: 'etcd-0', revision: 40, isWaiting: true },
  ]
  const { calls, repair } = await planeWith({ diagnoses: [{ ...NO_MAJORITY, survivors }] })

  const { hints } = await rejectionOf(repair())
  const { steps } = await repair({ isConfirmed: true, strategy: 'from-survivor' })

  const extent = 'up to revision 41 and what else its log contains'
  expect(hints).toContain(`continue with the data of etcd-2, ${extent}: --from-survivor`)
  expect(steps.map(stepText)).toContain(
    `take a snapshot of etcd-2 or etcd-0, ${extent}, and keep it`,
  )
  expect(calls().slice(2)).toEqual([
    'regainMajority dev',
    'snapshot dev of etcd-2',
    'restore dev after 41, keeping all',
  ])
})

test.for([undefined, 'wait'] as const)('continues an interrupted etcd: %s', async (strategy) => {
  const unfinished = { ...NO_MAJORITY, faults: [LOST], isUnfinished: true }
  const { calls, repair } = await planeWith({ diagnoses: [unfinished], answers: [true] })

  await repair({ strategy })

  expect(calls()).toContain('regainMajority dev')
  expect(calls()).toContain('restore dev after 41, keeping all')
})

test.for(['wait', 'from-survivor'] as const)(
  'reports that %s is not needed with a majority, and refuses it for a local plane',
  async (strategy) => {
    const hosted = await planeWith({ diagnoses: [{ faults: [STUCK] }] })
    const local = await planeWith({ driver: 'local', diagnoses: [{ faults: [STUCK] }] })

    const result = await hosted.repair({ isConfirmed: true, strategy })
    const error = await rejectionOf(local.repair({ isConfirmed: true, strategy }))

    expect(result.isRepaired).toBe(true)
    const note = 'There was nothing to choose: etcd has not lost its majority.'
    expect(hosted.composition.ui.notes).toContain(note)
    expect(error).toMatchObject({ code: 'USAGE', hints: ['vplane repair dev'] })
    expect(error.message).toContain('has one member: there is nothing to choose')
    expect(local.calls()).toEqual([])
  },
)

test('asks for the ways in their order', async () => {
  const answers = [false, true]
  const { calls, composition, repair } = await planeWith({ diagnoses: [NO_MAJORITY], answers })

  await repair()

  expect(composition.ui.questions).toEqual([
    'Wait for members to come back with their data?',
    'Continue with the data of etcd-2, and lose the rest?',
  ])
  expect(calls()).toContain('snapshot dev of etcd-2')
})

test('waits for the majority, and repairs the rest, when the user chose that', async () => {
  const { calls, repair } = await planeWith({ diagnoses: [NO_MAJORITY, { faults: [STUCK] }] })

  const result = await repair({ isConfirmed: true, strategy: 'wait' })

  expect(result).toMatchObject({ isRepaired: true, faults: [STUCK] })
  expect(calls()).toEqual(['diagnose dev', 'diagnose dev', 'repair dev'])
})

test('shows the new plan, and asks again, when more data would be replaced than was shown', async () => {
  const { calls, composition, repair } = await planeWith({
    diagnoses: [{ faults: [STUCK] }],
    answers: [true, false],
  })
  const unshown: Diagnosis = { faults: [{ ...LOST, remedy: 'replace' }] }
  composition.driver.repair = () => Promise.resolve(unshown)

  const error = await rejectionOf(repair())

  expect(error).toMatchObject({ code: 'ABORTED' })
  expect(composition.ui.questions).toEqual(['Repair "dev"?', 'Repair "dev"?'])
  expect(composition.ui.notes).toContain('  etcd-0: its data is lost')
  expect(calls()).toEqual(['diagnose dev'])
})

test('replaces nothing when a survivor had more data than is left', async () => {
  const survivors = [{ instance: 'etcd-2', revision: 42, isWaiting: true }]
  const { calls, repair } = await planeWith({ diagnoses: [{ faults: [LOST], survivors }] })

  const error = await rejectionOf(repair({ isConfirmed: true, strategy: 'from-survivor' }))

  expect(error.message).toContain('has data up to revision 41, not 42 as etcd-2 had')
  expect(calls().some((call) => call.startsWith('restore'))).toBe(false)
})

test.for([
  ['etcd', {}],
  ['kine', { store: { kine: { sqlite: {} } } }],
] as const)(
  'continues the interrupted restore of its own snapshot to %s',
  async ([store, spec]) => {
    const { calls, interruptRestore, repair } = await planeWith({
      diagnoses: [NO_MAJORITY],
      answers: [true],
      spec,
    })
    const id = await interruptRestore('dev')

    const result = await repair({ strategy: 'from-survivor' })

    expect(result).toMatchObject({ isRepaired: true, plane: { desired: 'running' } })
    expect(result.faults).toMatchObject([{ component: store, instance: store }])
    expect(result.steps.map(stepText)[0]).toContain(id)
    expect(calls()).toEqual(['restore dev after 41, keeping all'])
  },
)

test.for([
  ['another plane', 'other'],
  ['an earlier plane of its name', 'former'],
] as const)('leaves the interrupted restore of %s to the user', async ([, of]) => {
  const { calls, interruptRestore, repair } = await planeWith()
  const id = await interruptRestore(of)

  const error = await rejectionOf(repair({ isConfirmed: true }))

  expect(error).toMatchObject({ code: 'NEEDS_ATTENTION' })
  expect(error.hints[0]).toBe(
    `continue with: vplane restore dev --namespace default --force --from ${id}`,
  )
  expect(calls()).toEqual([])
})

test('refers to the move of a plane that is being moved here', async () => {
  const { calls, interruptRestore, repair } = await planeWith()
  await interruptRestore('dev', { movingFrom: 'id' })

  const error = await rejectionOf(repair({ isConfirmed: true }))

  expect(error.message).toContain('the move of "dev" to this place was interrupted')
  expect(calls()).toEqual([])
})

/** A plane that runs, and what looks at it are to find. */
async function planeWith({
  answers = [],
  diagnoses = [],
  driver: name = 'kubernetes',
  snapshotAt,
  spec = {},
}: {
  answers?: boolean[]
  diagnoses?: Diagnosis[]
  driver?: DriverName
  snapshotAt?: number
  spec?: UserSpec
} = {}) {
  const made = await worldWithSnapshots({ answers, driver: { name }, spec })
  const { driver, plane, store, world: composition } = made
  if (snapshotAt !== undefined) {
    const createdAt = new Date(composition.time.getTime() + snapshotAt * 3_600_000)
    const of = { plane: 'dev', driver: name, namespace: 'default', createdAt }
    const info = { ...of, kind: 'snapshot', revision: 1, sizeBytes: 4 } as const
    await store.snapshots.local.put(info, Readable.from([Buffer.from('data')]), signal)
  }
  driver.diagnoses = diagnoses
  driver.inside(plane).revision = 41
  driver.calls.length = 0
  const told = ['diagnose', 'regainMajority', 'repair', 'restore', 'snapshot']
  return {
    composition,
    /** Returns the id of a snapshot whose restore is recorded as unfinished. */
    interruptRestore: async (of: string, more: Partial<Plane> = {}) => {
      const inside = driver.inside(plane)
      const [name, planeId] = of === 'former' ? ['dev', 'its id'] : [of, plane.id]
      const bytes = etcdSnapshot(inside.api.save())
      const about = { plane: name, planeId, driver: plane.driver, createdAt: composition.time }
      const info = { ...about, kind: 'snapshot', revision: 41, sizeBytes: bytes.length } as const
      const placed = { ...info, ...omitUndefined({ namespace: plane.namespace }) }
      const { id = '' } = await store.snapshots.local.put(placed, Readable.from([bytes]), signal)
      inside.stored = { ...plane, ...more, restoring: { from: id } }
      return id
    },
    calls: () => driver.calls.filter((call) => told.includes(call.split(' ')[0] ?? '')),
    repair: (options: Partial<RepairOptions> = {}) =>
      repairControlPlane(composition, {
        name: 'dev',
        isConfirmed: false,
        isDryRun: false,
        timeoutMs: 5000,
        signal,
        ...options,
      }),
  }
}

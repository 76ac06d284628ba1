import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDeepStrictEqual } from 'node:util'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { startLab, type Lab } from '../../lab/lab.ts'
import {
  CONTENTS,
  type FieldPod,
  fieldPod,
  GATES,
  settableFields,
  SIZED,
  STEPS,
  type Step,
} from '../../support/host/fields/field-pods.ts'
import { countWrites, untilQuiet } from '../../support/host/fields/count-writes.ts'
import { type FieldOutcome, fieldOutcomes } from '../../support/host/fields/field-outcomes.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { NEWEST, OLDEST } from '../../support/host/version-pairs.ts'
import { until } from '../../support/until.ts'
import { networkPolicyEffectOf } from '../../../src/manifests/syncer-status.ts'
import { SYNCED_FIELDS } from '../../../src/syncer/fields/synced-fields.ts'
import { refusedFields } from '../../../src/syncer/translate/field-decisions.ts'
import { fieldsOfVersion } from '../../syncer/fields/fields-of-version.ts'

const TIMEOUT_MS = 3_600_000

/** Writes have to stop, and a refused one must not come again. On a busy machine the first ones take their time. */
const QUIET = { withinMs: 60_000, forMs: 12_000 }

/** Those that only one of the versions knows, by kind. */
const DIFFERENT = Object.entries(fieldsOfVersion(NEWEST)).flatMap(([kind, fields]) => {
  const other = fieldsOfVersion(OLDEST)[kind] ?? {}
  const all = Object.entries({ ...other, ...fields })
  return all
    .filter(([path]) => other[path] !== fields[path])
    .map(([path, type]) => ({ kind, field: [path, type] as const }))
})
const POD_FIELDS = settableFields(
  DIFFERENT.filter(({ kind }) => kind === 'Pod').map(({ field }) => field),
)

describeInOwnLab(`the ${POD_FIELDS.length} fields that one version knows`, () => {
  test('are those of pods, and of the status of others', () => {
    const others = DIFFERENT.filter(({ kind }) => kind !== 'Pod')

    expect(others.filter(({ field }) => !field[0].startsWith('status.'))).toEqual([])
  })

  // In a pair of the oldest versions, nobody knows the fields. Planes of the newest one have all their feature gates on,
  // hosts have those that are on by default.
  describe.for([
    { host: OLDEST, planes: [NEWEST] },
    { host: NEWEST, planes: [OLDEST, NEWEST] },
  ])('on a host of $host', ({ host, planes }) => {
    let lab: Lab
    beforeAll(async () => {
      lab = await startLab({ isOwn: true, version: host, planeVersions: planes })
    })
    afterAll(() => lab[Symbol.asyncDispose]())

    test.for(planes)('end well in a plane of %s', { timeout: TIMEOUT_MS }, async (version) => {
      const gates = version === NEWEST ? GATES.map((gate) => `featureGates.${gate}=true`) : []
      const flags = ['--version', version, ...gates.flatMap((gate) => ['--set', gate])]
      await using plane = await createSyncedPlane(flags, { lab })
      await untilAlone(plane)
      await untilReported(plane)
      await plane.ok('create', 'configmap', CONTENTS, '--from-literal=a=b')
      await plane.ok('create', 'secret', 'generic', CONTENTS, '--from-literal=a=b')

      for (const step of STEPS) {
        await checkStep(plane, step, { host, version })
      }
    })
  })
})

/** Returns when the host deletes nothing more of an earlier plane. */
function untilAlone({ cli, place }: SyncedPlane): Promise<void> {
  const output = ['--output', 'jsonpath={.items[*].metadata.name}']
  return until('other namespaces of tests to be gone', async () => {
    const names = (await cli.host(['get', 'namespaces', ...output])).split(' ')
    return names.every((name) => !name.startsWith('e2e-') || place.includes(name))
  })
}

/** Returns when its syncer has reported that the host enforces policies, which it looks at once a minute. */
function untilReported(plane: SyncedPlane): Promise<void> {
  return until('the report about network policies', async () => {
    const map = await plane.onHost(
      'get',
      'configmap',
      'vplane-dev-syncer-status',
      '--output',
      'json',
    )
    return networkPolicyEffectOf(JSON.parse(map)) === 'enforced'
  })
}

interface Versions {
  host: string
  version: string
}

/** Creates the pods of all fields, waits for what has to come of them, and deletes them. */
async function checkStep(plane: SyncedPlane, step: Step, versions: Versions): Promise<void> {
  const pods = [SIZED, ...POD_FIELDS.map((field) => fieldPod(field, step))]
  const items = pods.map(({ pod }) => pod)
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  // A plane that does not know a field takes the pod without it.
  await plane.cli.kubectlOk(['create', '--validate=ignore', '--filename', '-'], { input })
  const withEphemeral = pods.filter(({ ephemeralContainers }) => ephemeralContainers.length > 0)
  await until('pods to run', async () =>
    (await fieldOutcomes(plane, withEphemeral)).every(({ runs }) => runs),
  )
  for (const one of withEphemeral) {
    await addEphemeralContainers(plane, one)
  }
  let outcomes: FieldOutcome[] = []
  const unexpected = () =>
    outcomes.filter((one) => !isDeepStrictEqual(endOf(one), expectedEnd(one, step, versions)))
  const look = async () => {
    outcomes = await fieldOutcomes(plane, pods)
    return outcomes.length === pods.length && unexpected().length === 0
  }

  await until('what has to come of the pods', look).catch(() => {})
  expect(unexpected().map((one) => [one.path, endOf(one)])).toEqual([])
  await untilQuiet(() => writes(plane), QUIET)
  await look()

  expect(outcomes).toHaveLength(pods.length)
  expect(unexpected().map((one) => [one.path, endOf(one)])).toEqual([])
  await plane.ok('delete', 'pods', '--all', '--grace-period=1')
}

async function addEphemeralContainers(
  plane: SyncedPlane,
  { ephemeralContainers, pod: { metadata } }: FieldPod,
): Promise<void> {
  const name = metadata.name ?? ''
  const pod: { spec: object } = JSON.parse(await plane.ok('get', 'pod', name, '--output', 'json'))
  const input = JSON.stringify({ ...pod, spec: { ...pod.spec, ephemeralContainers } })
  const path = `/api/v1/namespaces/default/pods/${name}/ephemeralcontainers`
  await plane.cli.kubectlOk(['replace', '--raw', path, '--filename', '-'], { input })
}

function endOf({ isNamed, runs }: FieldOutcome): Pick<FieldOutcome, 'isNamed' | 'runs'> {
  return { isNamed, runs }
}

/**
 * A pod runs on the host, unless vplane refuses it or the host does not know its field. An Event tells both, and that the
 * host drops the field, whose feature gate is off there.
 */
function expectedEnd(
  { path, virtual }: FieldOutcome,
  step: Step,
  { host, version }: Versions,
): Pick<FieldOutcome, 'isNamed' | 'runs'> {
  const isRefused = refusedFields(SYNCED_FIELDS.pods, { ...virtual }).length > 0
  const isSet = version === NEWEST && step !== 'unset' && path !== SIZED.field[0]
  // The host has the default protocol without the field.
  const isSent = isSet && !isRefused && !(path.endsWith('.protocol') && step === 'changed')
  const isEphemeral = path.startsWith('spec.ephemeralContainers')
  return {
    isNamed: isRefused || isSent,
    runs: !isRefused && (isEphemeral || !isSent || host === NEWEST),
  }
}

/** The writes of syncers and other clients of the plane's objects in both API servers. */
async function writes(plane: SyncedPlane): Promise<ReadonlyMap<string, number>> {
  const [inPlane, onHost] = await Promise.all([
    plane.ok('get', '--raw', '/metrics'),
    plane.cli.host(['get', '--raw', '/metrics']),
  ])
  const ofHost = countWrites(onHost, (series) => SYNCED.test(series) && !OF_NODES.test(series))
  const ofPlane = countWrites(inPlane, (series) => SYNCED.test(series) || EVENTS.test(series))
  return new Map([
    ...[...ofPlane].map(([series, value]) => [`plane ${series}`, value] as const),
    ...[...ofHost].map(([series, value]) => [`host ${series}`, value] as const),
  ])
}

const SYNCED = new RegExp(`resource="(${Object.keys(SYNCED_FIELDS).join('|')})"`)
/** New ones: those of refused pods are renewed every 100 seconds, before they expire. */
const EVENTS = /resource="events".*verb="POST"/
/** Its kubelet writes the status of pods. */
const OF_NODES = /subresource="status"/

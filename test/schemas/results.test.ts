import { beforeEach, expect, test } from 'vitest'
import { toPlaneDetails, toPlaneResult } from '../../src/cli/results/plane-result.ts'
import { toErrorJson } from '../../src/cli/errors/present-error.ts'
import type { KubeconfigJson } from '../../src/cli/results/kubeconfig-json.ts'
import type { PlaneOutcome, SeveralResult } from '../../src/cli/results/several-result.ts'
import BinariesList, { type BinariesListResult } from '../../src/commands/binaries/list.ts'
import BinariesPrune from '../../src/commands/binaries/prune.ts'
import type { BinariesPullResult } from '../../src/commands/binaries/pull.ts'
import CertsCheck, { type CertsCheckResult } from '../../src/commands/certs/check.ts'
import type { CertsRotateResult } from '../../src/commands/certs/rotate.ts'
import Completion from '../../src/commands/completion.ts'
import ConfigGet from '../../src/commands/config/get.ts'
import ConfigList from '../../src/commands/config/list.ts'
import ConfigSet from '../../src/commands/config/set.ts'
import ConfigUnset from '../../src/commands/config/unset.ts'
import type { ConnectResult } from '../../src/commands/connect.ts'
import type { CreateResult } from '../../src/cli/results/create-result.ts'
import Create from '../../src/commands/create.ts'
import type { DebugResult } from '../../src/commands/debug.ts'
import Delete, { type DeleteResult } from '../../src/commands/delete.ts'
import type { DisconnectResult } from '../../src/commands/disconnect.ts'
import Doctor from '../../src/commands/doctor.ts'
import type { EventsResult } from '../../src/commands/events.ts'
import type { MetricsResult } from '../../src/commands/metrics.ts'
import Explain from '../../src/commands/explain.ts'
import Help from '../../src/commands/help.ts'
import type { KubeconfigResult } from '../../src/commands/kubeconfig.ts'
import List from '../../src/commands/list.ts'
import type { LogsResult } from '../../src/commands/logs.ts'
import type { PauseResult } from '../../src/commands/pause.ts'
import type { ProxyResult } from '../../src/commands/proxy.ts'
import Render from '../../src/commands/render.ts'
import type { ResumeResult } from '../../src/commands/resume.ts'
import Version from '../../src/commands/version.ts'
import {
  describeControlPlane,
  listControlPlanes,
} from '../../src/control-plane/use-cases/find/list-control-planes.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'
import { cacheBinaries } from '../support/machine/cached-binaries.ts'
import { FakeComposition } from '../support/driver/fake-composition.ts'
import { FakeDriver } from '../support/driver/fake-driver.ts'
import { breachesOf } from './read-schema.ts'

const home = homeForEachTest()

// What is in the cache is not looked for in the network.
beforeEach(() => cacheBinaries(home))

test.for([
  ['version', [], Version],
  ['help', ['create'], Help],
  ['explain', [], Explain],
  ['explain', ['sync', '--recursive'], Explain],
  ['explain', ['etcd.replicas'], Explain],
  ['explain', ['storage'], Explain],
  ['completion', ['zsh'], Completion],
  ['config-set', ['driver', 'local'], ConfigSet],
  ['config-set', ['offline', 'true'], ConfigSet],
  ['config-get', ['driver'], ConfigGet],
  ['config-get', ['timeout'], ConfigGet],
  ['config-list', [], ConfigList],
  ['config-unset', ['driver'], ConfigUnset],
  ['binaries-list', [], BinariesList],
  ['binaries-prune', [], BinariesPrune],
  ['list', [], List],
  ['certs-check', [], CertsCheck],
  ['delete', ['nobody', '--ignore-not-found', '--yes'], Delete],
  ['doctor', [], Doctor],
  ['render', ['dev', '--namespace', 'team'], Render],
  ['create', ['dev', '--driver', 'local', '--dry-run'], Create],
] as const)('%s prints what its schema says, after %j', async ([name, argv, command]) => {
  const { error, result, stdout } = await runCommandClass<unknown>(command, [...argv, '--json'])

  expect(error).toBeUndefined()
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(result)))
  expect(breachesOf(`results/${name}.json`, JSON.parse(stdout))).toEqual([])
})

test('list and describe say of every kind of plane what their schemas say', async () => {
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const local = new FakeDriver()
  const world = new FakeComposition({ drivers: [local, kubernetes] })
  await world.plane('hosted', { driver: kubernetes, apiServer: { extraArgs: { v: ['4'] } } })
  const broken = await world.plane('broken', { version: '1.35', pki: {}, extraSans: ['a.test'] })
  local.inside(broken).crash('etcd')
  const { signal } = new AbortController()
  await local.pause(await world.plane('paused'), { ui: world.ui, signal })
  await local.damage(await world.plane('unreadable'))

  const listed = await listControlPlanes(world)
  const described = await Promise.all(
    listed.map(({ plane }) => describeControlPlane(world, { name: plane.name, signal })),
  )

  const phases = listed.map(({ status }) => status.phase)
  expect(phases).toEqual(['NotReady', 'Ready', 'Paused', 'Unreadable'])
  expect(breachesOf('results/list.json', { items: listed.map(toPlaneResult) })).toEqual([])
  for (const one of described) {
    expect(breachesOf('results/describe.json', toPlaneDetails(one))).toEqual([])
  }
})

const PLANE = { name: 'dev', driver: 'local', namespace: null, hostContext: null }

const PAUSED: PlaneOutcome<PauseResult> = {
  ...PLANE,
  outcome: 'done',
  error: null,
  result: { name: 'dev', status: 'Paused', snapshot: null, steps: [] },
}

const FAILED: PlaneOutcome<never> = {
  ...PAUSED,
  driver: null,
  outcome: 'failed',
  error: { code: 'FAILED', message: 'it is broken', hints: ['repair it'], exitCode: 7 },
  result: null,
}

const NEW_PLANE: CreateResult = {
  ...PLANE,
  version: '1.36.3',
  created: true,
  ready: false,
  server: null,
  context: null,
  timings: null,
  plan: null,
}

const BINARY = { name: 'etcd', version: '3.6.16', path: '/cache/etcd' } as const

const LEAF: CertsCheckResult['certificates'][number] = {
  plane: 'dev',
  driver: 'kubernetes',
  namespace: 'team',
  name: 'etcd/server',
  kind: 'leaf',
  subject: 'etcd-server',
  expiresAt: '2027-11-22T00:00:00.000Z',
  ending: false,
}

const UNCHECKED = { plane: null, driver: 'kubernetes', namespace: null, reason: 'no route to host' }

const METRIC: MetricsResult['metrics'][number] = {
  name: 'vplane_component_up',
  type: 'gauge',
  help: 'Whether it works.',
  samples: [{ labels: { plane: 'dev' }, value: 1 }],
}

const SAMPLES: Array<[string, unknown]> = [
  ['create', NEW_PLANE],
  [
    'create',
    {
      items: [{ ...FAILED, outcome: 'done', error: null, result: NEW_PLANE }, FAILED],
    } satisfies SeveralResult<CreateResult>,
  ],
  [
    'create',
    {
      ...NEW_PLANE,
      driver: 'kubernetes',
      namespace: 'team',
      hostContext: 'work',
      created: false,
      ready: true,
      server: 'https://127.0.0.1:20443',
      context: 'vplane_dev_team_work',
      timings: [{ phase: 'Starting vplane', milliseconds: 80 }],
      plan: { objects: [{ kind: 'Service', name: 'vplane-dev-api' }], processes: [] },
    } satisfies CreateResult,
  ],
  [
    'connect',
    {
      ...PLANE,
      context: 'vplane_dev',
      server: 'https://127.0.0.1:20443',
      kubeconfig: '/home/x/.kube/config',
      previousContext: null,
    } satisfies ConnectResult,
  ],
  ['connect', { kind: 'Config' } satisfies KubeconfigJson],
  ['proxy', { name: 'dev', url: 'http://a/?token=b', port: 1, token: 'b' } satisfies ProxyResult],
  [
    'disconnect',
    { name: 'dev', context: 'a', kubeconfig: '/b', currentContext: 'c' } satisfies DisconnectResult,
  ],
  [
    'delete',
    {
      deleted: [{ ...PLANE, removedContext: 'vplane_dev' }],
      notFound: ['other'],
      steps: { third: [{ action: 'stop-components' }] },
    } satisfies DeleteResult,
  ],
  [
    'binaries-list',
    {
      items: [{ ...BINARY, platform: 'linux-amd64', sizeBytes: 7, source: 'build' }],
    } satisfies BinariesListResult,
  ],
  ['binaries-pull', { binaries: [BINARY] } satisfies BinariesPullResult],
  ['certs-check', { certificates: [LEAF], unchecked: [UNCHECKED] } satisfies CertsCheckResult],
  [
    'certs-rotate',
    { name: 'dev', certificates: ['apiserver'], dryRun: false } satisfies CertsRotateResult,
  ],
  [
    'debug',
    { name: 'dev', file: '/a', sizeBytes: 7, files: ['b'], missing: [] } satisfies DebugResult,
  ],
  ['events', { name: 'dev', items: [], operation: null } satisfies EventsResult],
  [
    'metrics',
    { name: 'dev', component: null, metrics: [METRIC], text: '' } satisfies MetricsResult,
  ],
  ['pause', { name: 'dev', status: 'Paused', snapshot: 'dev-1', steps: [] } satisfies PauseResult],
  ['pause', { items: [PAUSED, FAILED] } satisfies SeveralResult<PauseResult>],
  [
    'resume',
    {
      name: 'dev',
      status: null,
      steps: [{ action: 'start-component', component: 'etcd' }],
    } satisfies ResumeResult,
  ],
  ['kubeconfig', { name: 'dev', kubeconfig: { kind: 'Config' } } satisfies KubeconfigResult],
  ['logs', { component: 'etcd', pod: null, line: '' } satisfies LogsResult],
  ['error', toErrorJson(new VplaneError('USAGE', 'no', { hints: ['yes'] }))],
  ['error', toErrorJson(new VplaneError('ABORTED', 'no'), 125)],
]

test.for(SAMPLES)('the schema of %s takes %j, and misses what is left out', ([name, result]) => {
  const breaches = (value: unknown) => breachesOf(`results/${name}.json`, value)

  expect(breaches(result)).toEqual([])
  for (const field of Object.keys(Object(result))) {
    const { [field]: _, ...rest } = Object(result)
    expect(breaches(rest), field).not.toEqual([])
  }
})

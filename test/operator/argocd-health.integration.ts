import { execFile } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Observation, toResourceStatus } from '../../src/operator/resource/to-status.ts'
import type { PlanePhase } from '../../src/control-plane/status/plane-status.ts'
import { textAt } from '../../src/shared/json-fields.ts'
import { readPages } from '../docs/read-pages.ts'
import { storedPlane } from '../support/driver/some-planes.ts'
import { goProgram } from '../support/programs/go-program.ts'

const FIELD = 'resource.customizations.health.vplane.dev_ControlPlane'
const NOW = new Date('2026-06-01T13:00:00Z')

let program: string
beforeAll(async () => {
  program = await goProgram('lua-health')
})

/** What Argo CD says about an object with the check of the documentation. */
async function healthOf(object: object): Promise<unknown> {
  const { blocks } = readPages().find(({ path }) => path === 'docs/operator.md') ?? { blocks: [] }
  const { code = '' } = blocks.find((block) => block.code.includes(FIELD)) ?? {}
  const [, document = ''] = /<<'EOF'\n([^]*)\nEOF\n/.exec(code) ?? []
  const script = textAt(parse(document), 'data', FIELD) ?? ''
  const stdout = await new Promise<string>((resolve, reject) => {
    const running = execFile(program, [script], (error, output) =>
      error === null ? resolve(output) : reject(error),
    )
    running.stdin?.end(JSON.stringify([object]))
  })
  const [health]: unknown[] = JSON.parse(stdout)
  return health
}

function observed(observation: Observation) {
  const metadata = { name: 'dev', namespace: 'team-a', generation: 2 }
  const resource = { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlane', metadata }
  return { ...resource, status: toResourceStatus(resource, observation, NOW) }
}

const inPhase = (phase: PlanePhase, reason?: string): Observation => ({
  plane: storedPlane('dev'),
  status: { phase, components: [], ...(reason === undefined ? {} : { reason }) },
})

const OBSERVATIONS: Array<[string, Observation, object]> = [
  ['a ready plane', inPhase('Ready'), { status: 'Healthy', message: '' }],
  [
    'a plane with a fault',
    inPhase('NotReady', 'etcd does not answer'),
    { status: 'Degraded', message: 'etcd does not answer' },
  ],
  [
    'a plane that cannot be made',
    { failure: { reason: 'Refused', message: 'no such image' } },
    { status: 'Degraded', message: 'no such image' },
  ],
  ['a paused plane', inPhase('Paused'), { status: 'Suspended', message: '' }],
  [
    'a plane that is being changed',
    { ...inPhase('NotReady'), work: 'replacing etcd' },
    { status: 'Progressing', message: 'replacing etcd' },
  ],
  ['a new plane', {}, { status: 'Progressing', message: '' }],
]

test.for(OBSERVATIONS)('%s', async ([, observation, health]) => {
  expect(await healthOf(observed(observation))).toEqual(health)
})

test('a spec that the operator has not seen', async () => {
  const ready = observed(inPhase('Ready'))
  const { status: _, ...unseen } = ready
  const changed = { ...ready, metadata: { ...ready.metadata, generation: 3 } }

  expect(await healthOf(changed)).toMatchObject({ status: 'Progressing' })
  expect(await healthOf(unseen)).toMatchObject({ status: 'Progressing' })
})

test('a plane that is being deleted', async () => {
  const ready = observed(inPhase('Ready'))
  const metadata = { ...ready.metadata, deletionTimestamp: NOW.toISOString() }

  expect(await healthOf({ ...ready, metadata })).toMatchObject({ status: 'Progressing' })
})

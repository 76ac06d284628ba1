import { expect, test } from 'vitest'
import { createPlanLines } from '../../../src/cli/output/create-plan-lines.ts'
import type { PlannedPlane } from '../../../src/cli/request/plan-plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'

const HOSTED: PlannedPlane = {
  name: 'dev',
  place: { name: 'dev', driver: 'kubernetes', namespace: 'team', hostContext: 'work' },
  spec: resolveSpec({ version: '1.36.3' }, 'kubernetes'),
  createsNamespace: false,
  isPaused: false,
  crdCount: 0,
  objects: [
    { kind: 'Service', name: 'vplane-dev-api' },
    { kind: 'StatefulSet', name: 'vplane-dev-etcd' },
    { kind: 'Service', name: 'vplane-dev-etcd' },
  ],
  processes: [],
  leftOut: [],
}

test('names the objects of a plane in a host cluster, a line for each kind', () => {
  expect(createPlanLines(HOSTED)).toEqual([
    'Would create "dev":',
    '  Driver:     kubernetes',
    '  Host:       work',
    '  Namespace:  team',
    '  Version:    Kubernetes 1.36.3, etcd 3.6.16',
    '  Objects:    3',
    '    Service      vplane-dev-api, vplane-dev-etcd',
    '    StatefulSet  vplane-dev-etcd',
  ])
})

test('says which namespace, data and CRDs come with it', () => {
  const lines = createPlanLines({
    ...HOSTED,
    createsNamespace: true,
    usesKeptData: true,
    crdCount: 2,
  })

  expect(lines).toContain('  Namespace:  team, created if it is missing')
  expect(lines).toContain('  Data:       what "delete --keep-data" kept')
  expect(lines).toContain('  CRDs:       2')
})

test('says of a plane that exists that nothing is created', () => {
  expect(createPlanLines({ ...HOSTED, existing: storedPlane('dev') })).toEqual([
    '"dev" in namespace "team" exists with the same spec. Only what does not run would be started.',
  ])
})

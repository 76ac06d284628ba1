import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UserSpec } from '../../src/control-plane/spec.ts'
import type { ManifestInput } from '../../src/manifests/manifest-input.ts'
import { planeManifests } from '../../src/manifests/plane-manifests.ts'
import { renderManifests } from '../../src/manifests/render-manifests.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { manifestInputOf } from './manifest-input-of.ts'

// What is applied to a host. After a change that is meant:
// npm run test:unit -- test/manifests/golden.test.ts -u

const EVERYTHING: UserSpec = {
  version: '1.35',
  preset: 'ha',
  apiGroups: 'lean',
  extraSans: ['plane.example.com'],
  storage: { className: 'fast', size: '50Gi' },
  expose: {
    type: 'ingress',
    host: 'dev.example.com',
    ingressClassName: 'nginx',
    annotations: { 'example.com/team': 'a' },
  },
  images: {
    registry: 'registry.example.com/mirror',
    pullSecrets: ['mirror'],
    pullPolicy: 'Always',
  },
  pods: {
    nodeSelector: { 'example.com/pool': 'planes' },
    tolerations: [{ key: 'planes', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
    labels: { team: 'a' },
    annotations: { 'example.com/note': 'yes' },
  },
  audit: { policy: { rules: [{ level: 'Metadata' }] } },
  encryption: { secrets: false },
  etcd: { replicas: 5, resources: { limits: { memory: '4Gi' } }, extraArgs: { 'max-wals': '3' } },
  apiServer: {
    replicas: 3,
    resources: { requests: { cpu: '1' }, limits: { memory: '0' } },
    extraArgs: { v: '4' },
  },
  controllerManager: { replicas: 3 },
}

const VARIANTS: Record<string, [UserSpec, Partial<ManifestInput>?]> = {
  nano: [{}],
  'nano-ephemeral': [{ ephemeral: true }],
  'nano-existing': [{}, { initialState: 'existing' }],
  'nano-paused': [{}, { desired: 'paused' }],
  'nano-host-gives-ids': [{}, { hostGivesIds: true }],
  'nano-node-port': [{ expose: { type: 'node-port', nodePort: 30_443 } }],
  'nano-load-balancer': [{ expose: { type: 'load-balancer', annotations: { 'a.test/b': 'c' } } }],
  small: [{ preset: 'small' }],
  ha: [{ preset: 'ha' }],
  everything: [EVERYTHING],
}

test.for(Object.keys(VARIANTS))('applies %s as the golden file says', async (name, { expect }) => {
  const [user = {}, changes] = VARIANTS[name] ?? []

  const text = renderManifests(planeManifests(manifestInputOf(user, changes)), {
    secrets: 'reference',
  })

  await expect(text).toMatchFileSnapshot(`golden/${name}.yaml`)
})

test('has no golden file that nothing makes', () => {
  const files = readdirSync(join(import.meta.dirname, 'golden'))

  expect(files.toSorted()).toEqual(
    Object.keys(VARIANTS)
      .map((name) => `${name}.yaml`)
      .toSorted(),
  )
})

test('shows every template in one of them', () => {
  const templates = readdirSync(join(packageRoot(), 'templates'), { recursive: true })

  const objects = planeManifests(manifestInputOf(EVERYTHING))

  expect(objects).toHaveLength(templates.filter((path) => String(path).endsWith('.yaml')).length)
})

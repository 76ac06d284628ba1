import { expect, test } from 'vitest'
import { diagnose } from '../../../../../src/drivers/kubernetes/diagnosis/diagnose.ts'
import { strandedVolume } from '../../../../../src/drivers/kubernetes/diagnosis/volumes/stranded-volume.ts'
import { MemoryHostApi } from '../../../../support/api/memory-host-api.ts'
import { refusing } from '../../../../support/driver/refusing.ts'
import { strandVolume } from '../../strand-volume.ts'
import { unscheduledPod } from '../some-pods.ts'

const OUT = 'node.kubernetes.io/out-of-service'
const ITS_NODE = 'its volume is on node "node-1", which is'
const GONE = `${ITS_NODE} gone`
const SIGNAL = new AbortController().signal
const WANTED = { claim: 'data-vplane-dev-etcd-0', namespace: 'team-a', hostContext: 'kind' }

test.for([
  ['whose node is gone', {}, GONE],
  ['whose node is there', { nodes: { 'node-1': [] } }, undefined],
  ['whose node only takes no pods', { nodes: { 'node-1': ['unreachable'] } }, undefined],
  ['whose node is out of service', { nodes: { 'node-1': [OUT] } }, `${ITS_NODE} out of service`],
  ['that names its node in another way', { key: 'topology.topolvm.io/node' }, GONE],
  ['of a zone', { key: 'topology.kubernetes.io/zone', value: 'west' }, undefined],
  ['of a network', { key: '' }, undefined],
] as const)('knows a volume %s', async ([, options, reason]) => {
  const api = new MemoryHostApi()
  strandVolume(api, 'vplane-dev-etcd-0', options)

  expect((await strandedVolume(api, WANTED, SIGNAL))?.reason).toBe(reason)
})

test('tells how a node returns into service', async () => {
  const api = new MemoryHostApi()
  strandVolume(api, 'vplane-dev-etcd-0', { nodes: { 'node-1': [OUT] } })

  expect((await strandedVolume(api, WANTED, SIGNAL))?.hints).toEqual([
    `if the node comes back with its disk: kubectl --context kind taint nodes node-1 ${OUT}-`,
  ])
})

test.for([/ \/api\/v1\/persistentvolumes\//, / \/api\/v1\/nodes/])(
  'returns nothing about what the user may not read: %s',
  async (hidden) => {
    const api = new MemoryHostApi(refusing(403, 'forbidden', hidden))
    strandVolume(api, 'vplane-dev-etcd-0')

    expect(await strandedVolume(api, WANTED, SIGNAL)).toBeUndefined()
  },
)

test.for([
  "1 node(s) didn't match PersistentVolume's node affinity",
  '1 node(s) had volume node affinity conflict, 1 node(s) had untolerated taint(s)',
])('names the node that a pod needs: %s', async (why) => {
  const api = new MemoryHostApi()
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-vplane-dev-etcd-0' } }]
  const pod = unscheduledPod(`0/2 nodes are available: ${why}.`)
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0'
  const now = new Date()
  const asked = () =>
    diagnose({ api, name: 'dev', namespace: 'team-a', hostContext: 'kind', now, signal: SIGNAL })
  api.put(path, { ...pod, spec: { ...pod.spec, volumes } })
  strandVolume(api, 'vplane-dev-etcd-0', { nodes: { 'node-1': [] } })

  const [there] = await asked()
  api.remove('/api/v1/nodes/node-1')
  const [gone] = await asked()

  expect(there).toMatchObject({ state: 'Unschedulable', reason: expect.stringContaining(why) })
  expect(gone).toMatchObject({
    reason: GONE,
    hints: [{ action: 'repair', plane: { name: 'dev', namespace: 'team-a' } }],
    final: true,
  })
})

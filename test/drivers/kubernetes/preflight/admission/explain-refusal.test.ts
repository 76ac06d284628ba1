import { hintTexts } from '../../../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { explainRefusal } from '../../../../../src/drivers/kubernetes/preflight/admission/explain-refusal.ts'

const PLACE = { namespace: 'team-a', hostContext: 'kind' }

test.for([
  [
    'pods "x" is forbidden: violates PodSecurity "restricted:latest": seccompProfile (…)',
    'pod security',
    'the namespace enforces "restricted:latest": seccompProfile (…)',
  ],
  [
    'pods "x" is forbidden: exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3',
    'quota "team"',
    'requested: pods=1, used: pods=3, limited: pods=3',
  ],
  [
    'pods "x" is forbidden: failed quota: team: must specify limits.cpu for: etcd',
    'quota "team"',
    'must specify limits.cpu for: etcd',
  ],
  [
    'pods "x" is forbidden: [maximum memory usage per Container is 1Gi, but limit is 2Gi, minimum cpu usage per Pod is 1]',
    'limits',
    'maximum memory usage per Container is 1Gi, but limit is 2Gi, minimum cpu usage per Pod is 1',
  ],
  [
    'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but no limit is specified',
    'limits',
    'cpu max limit to request ratio per Container is 2, but no limit is specified',
  ],
  [
    'pods "x" is forbidden: no PriorityClass with name high was found',
    'priority class',
    'the host cluster has no PriorityClass "high"',
  ],
  [
    'admission webhook "policy.example.com" denied the request: label owner is missing',
    'admission',
    'webhook "policy.example.com" of the host cluster refuses: label owner is missing',
  ],
  [
    'admission webhook "policy.example.com" denied the request without explanation',
    'admission',
    'webhook "policy.example.com" of the host cluster refuses: it gives no reason',
  ],
  [
    'Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://w": EOF',
    'admission',
    'webhook "w.example.com" of the host cluster does not answer: Post "https://w": EOF',
  ],
  [
    `pods "x" is forbidden: ValidatingAdmissionPolicy 'owners' with binding 'all' denied request: no owner`,
    'admission',
    'policy "owners" of the host cluster refuses: no owner',
  ],
  [
    'Service "x" is invalid: spec.ports[0].nodePort: Invalid value: 30443: provided port is already allocated',
    'node port',
    '30443: provided port is already allocated',
  ],
  [
    'Pod "x" is invalid: spec.affinity: Required value',
    'pod',
    'Pod "x" is invalid: spec.affinity: Required value',
  ],
] as const)('explains: %s', ([message, subject, what]) => {
  expect(explainRefusal({ status: 403, message, kind: 'Pod' }, PLACE)).toMatchObject({
    subject,
    level: 'problem',
    message: what,
  })
})

test.for([
  [403, 'pods is forbidden: User "jane" cannot create resource "pods" in API group ""'],
  [400, 'admission webhook "w" does not support dry run'],
  [
    403,
    'pods "x" is forbidden: error looking up service account a/default: serviceaccount "default" not found',
  ],
  [403, 'pods "x" is forbidden: unable to validate against any security context constraint: []'],
  [404, 'namespaces "team-a" not found'],
  [409, 'pods "x" already exists'],
  [503, 'the server is busy'],
] as const)('ignores what is not about the plane: %i %s', ([status, message]) => {
  expect(explainRefusal({ status, message, kind: 'Pod' }, PLACE)).toBeUndefined()
})

test.for([
  [
    'failed quota: team: must specify limits.cpu for: etcd; memory for: etcd',
    '--set etcd.resources.limits.cpu=QUANTITY, --set etcd.resources.requests.memory=QUANTITY',
  ],
  [
    'pods "x" is forbidden: [maximum memory usage per Container is 1Gi, but limit is 2Gi, minimum cpu usage per Pod is 1.  No request is specified]',
    '--set etcd.resources.limits.memory=1Gi, --set etcd.resources.requests.cpu=1',
  ],
  [
    'persistentvolumeclaims "x" is forbidden: minimum storage usage per PersistentVolumeClaim is 5Gi, but request is 2Gi',
    '--storage-size 5Gi',
  ],
  [
    'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
    'kubectl --context kind -n team-a describe limitrange',
  ],
] as const)('names the field of the spec: %s', ([message, hint]) => {
  const refusal = { status: 403, message, kind: 'Pod', component: 'etcd' } as const

  const found = [explainRefusal(refusal, PLACE)?.hint ?? []].flat()
  expect(hintTexts(found).join(', ')).toBe(hint)
})

test('gives a command for the host cluster', () => {
  const message = 'pods "x" is forbidden: exceeded quota: team, requested: pods=1'

  expect(explainRefusal({ status: 403, message, kind: 'Pod' }, PLACE)?.hint).toBe(
    'kubectl --context kind -n team-a describe resourcequota team',
  )
})

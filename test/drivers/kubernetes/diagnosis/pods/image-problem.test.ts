import { hintTexts } from '../../../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { podProblem } from '../../../../../src/drivers/kubernetes/diagnosis/pods/pod-problem.ts'
import { CONTEXT, eventWith, podWith, waitingPod } from '../some-pods.ts'

const PULL = 'failed to pull and unpack image "etcd:1": failed to resolve reference "etcd:1": '

const REQUEST = `${PULL}failed to do request: Head "https://r.io/v2/": `
const DENIED = 'pull access denied, repository does not exist or may require authorization'

test.for([
  ['ErrImagePull', PULL, 'etcd:1: not found'],
  ['ErrImagePull', PULL, DENIED],
  ['ErrImagePull', `rpc error: code = NotFound desc = ${PULL}`, 'etcd:1: not found'],
  [
    'ImagePullBackOff',
    `Back-off pulling image "etcd:1": ErrImagePull: ${REQUEST}`,
    'dial tcp: lookup r.io: no such host',
  ],
  ['ErrImagePull', REQUEST, 'dial tcp 10.0.0.1:443: i/o timeout'],
] as const)('gives up on an image that %s: %s%s', ([state, layers, said]) => {
  const problem = podProblem(waitingPod(state, layers + said), [], CONTEXT)

  const reason = `image "etcd:1" cannot be pulled: ${said}`
  expect(problem).toMatchObject({ state, reason, final: true })
})

test.for([
  `${REQUEST}dial tcp: lookup r.io: server misbehaving`,
  `${PULL}unexpected status from HEAD request to https://r.io/v2/: 503 Service Unavailable`,
  `${PULL}unexpected status from HEAD request to https://r.io/v2/: 429 Too Many Requests`,
  'failed to copy: httpReadSeeker: failed open: connection reset by peer',
])('allows the first pull to fail: %s', (message) => {
  const first = eventWith('Failed', `Failed to pull image "etcd:1": ${message}`)
  const again = { ...first, count: 2 }
  const pod = waitingPod('ErrImagePull', message)

  expect(podProblem(pod, [first], CONTEXT)).toMatchObject({ final: false })
  expect(podProblem(pod, [again], CONTEXT)).toMatchObject({ final: true })
})

test('gives a busy registry a second try even when the host waits before it', () => {
  const message = 'Back-off pulling image "etcd:1": ErrImagePull: toomanyrequests: slow down'

  expect(podProblem(waitingPod('ImagePullBackOff', message), [], CONTEXT)?.final).toBe(false)
})

test('reads what older hosts report only in an event', () => {
  const pod = waitingPod('ImagePullBackOff', 'Back-off pulling image "etcd:1"')
  const note = eventWith('Failed', `Failed to pull image "etcd:1": ${PULL}etcd:1: not found`)

  expect(podProblem(pod, [], CONTEXT)).toMatchObject({ final: false })
  const notes = [note, eventWith('Failed', 'Error: ErrImagePull')]
  const reason = expect.stringMatching(/: etcd:1: not found$/)
  expect(podProblem(pod, notes, CONTEXT)).toMatchObject({ reason, final: true })
})

test.for([
  ['syncer', 'node:24: not found', 'another image: --set sync.image=IMAGE'],
  ['dns', 'node:24: not found', 'another image: --set sync.dnsImage=IMAGE'],
  ['keeper', 'node:24: not found', 'another image: --set keeper.image=IMAGE'],
  ['receive-snapshot', 'node:24: not found', 'another image: --helper-image IMAGE'],
  ['dns', 'lookup r.io: no such host', 'a mirror that nodes can reach: --set sync.dnsImage=IMAGE'],
  ['etcd', 'etcd:1: not found', 'another version: --version VERSION'],
] as const)('names the option for the image of %s: %s', ([name, said, hint]) => {
  const waiting = { reason: 'ErrImagePull', message: `failed to do request: ${said}` }
  const pod = podWith({ containerStatuses: [{ name, state: { waiting } }] })

  expect(hintTexts(podProblem(pod, [], CONTEXT)?.hints ?? [])[0]).toBe(hint)
})

test('tells how to log in to a registry', () => {
  const problem = podProblem(waitingPod('ErrImagePull', '401 Unauthorized'), [], CONTEXT)

  expect(problem?.hints.slice(0, 2)).toEqual([
    expect.stringMatching(/^kubectl --context kind -n team-a create secret docker-registry /),
    { purpose: 'to use it', set: 'images.pullSecrets=pull' },
  ])
})

test.for(['ContainerCreating', 'PodInitializing'])('reports no problem while %s', (reason) => {
  expect(podProblem(waitingPod(reason), [], CONTEXT)).toBeUndefined()
})

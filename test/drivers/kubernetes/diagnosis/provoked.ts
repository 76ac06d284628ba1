import type { ComponentName } from '../../../../src/control-plane/plane/plane.ts'
import { DEFAULT_KUBERNETES_VERSION } from '../../../../src/control-plane/spec/kubernetes-version.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'

/** What the namespace of a case does to pods, see `diagnose.lab.ts`. */
export type NamespaceKind = 'plain' | 'small' | 'restricted' | 'policed' | 'hooked'

/** One way in which a component cannot run, and what is to be said about it. */
export interface Provoked {
  /** Name of the plane, and of the fixture with what the host had of it. */
  name: string
  namespace: NamespaceKind
  component: ComponentName
  state: RegExp
  reason: RegExp
  hint: RegExp
  final: boolean
  /** A line of its log. */
  log?: string
  /** Whether the component has a volume. @default false */
  claim?: { storageClassName?: string }
  replicas?: number
  pod: object
}

const BUSYBOX = 'docker.io/library/busybox:1.36'
const API_SERVER = `registry.k8s.io/kube-apiserver:v${DEFAULT_KUBERNETES_VERSION}`

/** A pod whose one container sleeps, unless it is told otherwise. */
function sleeper(container: object = {}, pod: object = {}): object {
  const base = { name: 'main', image: BUSYBOX, command: ['sleep', '3600'] }
  return {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    ...pod,
    containers: [{ ...base, ...container }],
  }
}

function script(text: string): object {
  return { command: ['sh', '-c', text] }
}

const server = { namespace: 'plain', component: 'kube-apiserver', final: true } as const
const etcd = { namespace: 'plain', component: 'etcd', final: true } as const
const crashing = { ...server, state: /^(Error|CrashLoopBackOff)$/ } as const
const refused = { ...server, state: /^FailedCreate$/ } as const
const large = { resources: { requests: { memory: '2Gi' }, limits: { memory: '2Gi' } } }

/** The ways that were tried on real host clusters. */
export const PROVOKED: readonly Provoked[] = [
  {
    ...server,
    name: 'cpu',
    state: /^Unschedulable$/,
    reason: /^no node accepts it: \d+\/\d+ nodes are available, \d+ Insufficient cpu$/,
    hint: /--set apiServer\.resources\.requests\.cpu=/,
    pod: sleeper({ resources: { requests: { cpu: '1000' } } }),
  },
  {
    ...server,
    name: 'selector',
    state: /^Unschedulable$/,
    reason: /node\(s\) didn't match Pod's node affinity\/selector$/,
    hint: /--set pods\.nodeSelector/,
    pod: sleeper({}, { nodeSelector: { disk: 'ssd' } }),
  },
  {
    ...etcd,
    name: 'apart',
    state: /^Unschedulable$/,
    reason: /didn't match pod anti-affinity rules$/,
    hint: /--set etcd\.replicas=1/,
    replicas: 9,
    pod: sleeper(
      {},
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: objectLabels('apart', 'etcd') },
              },
            ],
          },
        },
      },
    ),
  },
  {
    ...server,
    name: 'image',
    state: /^(ErrImagePull|ImagePullBackOff)$/,
    reason: /^image "127\.0\.0\.1:1\/nothing:1" cannot be pulled: .*connection refused$/,
    hint: /--image-registry/,
    pod: sleeper({ image: '127.0.0.1:1/nothing:1' }),
  },
  {
    ...server,
    name: 'image-name',
    state: /^InvalidImageName$/,
    reason: /^"example\.com\/UPPER:1" is not the name of an image: /,
    hint: /--image-registry/,
    pod: sleeper({ image: 'example.com/UPPER:1' }),
  },
  {
    ...server,
    name: 'image-never',
    state: /^ErrImageNeverPull$/,
    reason: /^image "example\.com\/nothing:1" is not on the node/,
    hint: /--set images\.pullPolicy=IfNotPresent/,
    pod: sleeper({ image: 'example.com/nothing:1', imagePullPolicy: 'Never' }),
  },
  {
    ...server,
    name: 'missing-key',
    state: /^CreateContainerConfigError$/,
    reason: /^container "main" cannot be created: secret "missing" not found$/,
    hint: /describe pod/,
    pod: sleeper({
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'missing', key: 'x' } } }],
    }),
  },
  {
    ...server,
    name: 'root',
    state: /^CreateContainerConfigError$/,
    reason: /container has runAsNonRoot and image will run as root/,
    hint: /describe pod/,
    pod: sleeper({ securityContext: { runAsNonRoot: true } }),
  },
  {
    ...server,
    name: 'no-program',
    state: /^(RunContainerError|StartError)$/,
    reason: /^container "main" cannot start: .*"\/no\/program": .*no such file or directory$/,
    hint: /describe pod/,
    pod: sleeper({ command: ['/no/program'] }),
  },
  {
    ...crashing,
    name: 'capability',
    reason: /^main has ended with exit code 1: exec .*kube-apiserver: operation not permitted$/,
    hint: /^vplane logs capability kube-apiserver$/,
    log: 'operation not permitted',
    pod: sleeper({
      image: API_SERVER,
      command: ['kube-apiserver', '--version'],
      securityContext: { runAsUser: 65_532, capabilities: { drop: ['ALL'] } },
    }),
  },
  {
    ...crashing,
    name: 'flag',
    reason: /^main has ended with exit code 1: unknown flag: --no-such-flag$/,
    hint: /^vplane logs flag kube-apiserver$/,
    log: 'Error: unknown flag: --no-such-flag',
    pod: sleeper({ image: API_SERVER, command: ['kube-apiserver', '--no-such-flag'] }),
  },
  {
    ...crashing,
    name: 'key-file',
    reason: /exit code 1: failed to parse service-account-issuer-key-file: open \/x: no such file/,
    hint: /^vplane logs key-file kube-apiserver$/,
    log: '"command failed"',
    pod: sleeper({
      image: API_SERVER,
      command: [
        'kube-apiserver',
        '--etcd-servers=http://127.0.0.1:1',
        '--service-account-issuer=https://x',
        '--service-account-key-file=/x',
        '--service-account-signing-key-file=/x',
      ],
    }),
  },
  {
    ...etcd,
    name: 'memory',
    state: /^OOMKilled$/,
    reason: /^main needs more memory than its limit of 12Mi$/,
    hint: /--set etcd\.resources\.limits\.memory=/,
    pod: sleeper({
      ...script('a=x; while true; do a=$a$a; done'),
      resources: { limits: { memory: '12Mi' } },
    }),
  },
  {
    ...crashing,
    name: 'injected',
    reason: /^injected has ended with exit code 1: no certificate$/,
    hint: /vplane logs/,
    log: 'no certificate',
    pod: sleeper(
      {},
      {
        initContainers: [
          { name: 'injected', image: BUSYBOX, ...script('echo no certificate; exit 1') },
        ],
      },
    ),
  },
  {
    ...crashing,
    name: 'killed',
    reason: /^main was killed: liveness probe failed/,
    hint: /vplane logs/,
    pod: sleeper({
      livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 },
    }),
  },
  {
    ...server,
    name: 'probe',
    final: false,
    state: /^Unhealthy$/,
    reason: /^readiness probe failed: not yet$/,
    hint: /vplane logs/,
    pod: sleeper({
      readinessProbe: { exec: script('echo not yet; exit 1'), periodSeconds: 1 },
    }),
  },
  {
    ...server,
    name: 'mount',
    state: /^FailedMount$/,
    reason: /^volume "pki" cannot be mounted: secret "missing" not found$/,
    hint: /describe pod/,
    pod: sleeper(
      { volumeMounts: [{ name: 'pki', mountPath: '/pki' }] },
      { volumes: [{ name: 'pki', secret: { secretName: 'missing' } }] },
    ),
  },
  {
    ...etcd,
    name: 'no-class',
    state: /^Pending$/,
    reason: /^nothing creates volume "data-vplane-no-class-etcd-0": .* no default StorageClass$/,
    hint: /--storage-class/,
    claim: { storageClassName: '' },
    pod: sleeper({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
  },
  {
    ...etcd,
    name: 'wrong-class',
    state: /^ProvisioningFailed$/,
    reason: /^the host cluster has no StorageClass "missing"$/,
    hint: /--ephemeral/,
    claim: { storageClassName: 'missing' },
    pod: sleeper({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
  },
  {
    ...refused,
    namespace: 'small',
    name: 'quota',
    reason: /refuses its pods: quota "small": requested: requests\.memory=2Gi, used: .* limited: /,
    hint: /describe resourcequota small/,
    pod: sleeper(large),
  },
  {
    ...etcd,
    namespace: 'small',
    name: 'etcd-quota',
    state: /^FailedCreate$/,
    reason: /refuses its pods: quota "small": requested: requests\.memory=2Gi/,
    hint: /describe resourcequota small/,
    pod: sleeper(large),
  },
  {
    ...etcd,
    namespace: 'small',
    name: 'volume-quota',
    state: /^FailedCreate$/,
    reason: /refuses its pods: quota "small": requested: persistentvolumeclaims=1/,
    hint: /describe resourcequota small/,
    claim: {},
    pod: sleeper({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
  },
  {
    ...refused,
    namespace: 'restricted',
    name: 'pod-security',
    reason: /refuses its pods: pod security: the namespace enforces "restricted:latest": allowPriv/,
    hint: /pod-security\.kubernetes\.io\/enforce/,
    pod: sleeper(),
  },
  {
    ...refused,
    namespace: 'policed',
    name: 'policy',
    reason: /policy "[^"]+" of the host cluster refuses: pods need the label owner$/,
    hint: /describe validatingadmissionpolicy/,
    pod: sleeper(),
  },
  {
    ...refused,
    namespace: 'hooked',
    name: 'webhook',
    final: false,
    reason:
      /webhook "hook\.example\.com" of the host cluster does not answer: .*connection refused$/,
    hint: /get validatingwebhookconfigurations/,
    pod: sleeper(),
  },
]

/** The StatefulSet or the Deployment of a case. */
export function workloadOf(
  { claim, component, name, pod, replicas = 1 }: Provoked,
  namespace: string,
): KubeObject {
  const labels = objectLabels(name, component)
  const full = `vplane-${name}-${component}`
  const template = { metadata: { labels }, spec: pod }
  const isStateful = component === 'etcd'
  return {
    apiVersion: 'apps/v1',
    kind: isStateful ? 'StatefulSet' : 'Deployment',
    metadata: { name: full, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template,
      ...(isStateful ? { serviceName: full, podManagementPolicy: 'Parallel' } : {}),
      ...(claim === undefined ? {} : { volumeClaimTemplates: [claimTemplate(labels, claim)] }),
    },
  }
}

function claimTemplate(labels: Record<string, string>, claim: object): object {
  const resources = { requests: { storage: '1Gi' } }
  return {
    metadata: { name: 'data', labels },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...claim },
  }
}

import type { Manifest } from '../manifest.ts'
import { objectLabels, objectName } from '../object-names.ts'
import { RECEIVER } from './restore-scripts.ts'
import { containerOfEtcd, podSpecOf } from './with-restore.ts'

/** How long the host keeps it for those who were killed before they took it away, in seconds. */
const LONGEST_SECONDS = 900

/** What of the pods of etcd says whether and where they get their images. */
const KEPT = [
  'automountServiceAccountToken',
  'enableServiceLinks',
  'imagePullSecrets',
  'nodeSelector',
  'priorityClassName',
  'securityContext',
  'serviceAccountName',
  'tolerations',
]

export interface ImageCheckOptions {
  name: string
  namespace: string
  helperImage: string
}

/**
 * A small pod that ends at once, with the images that the pods of etcd need for a restore: what keeps it from running
 * would keep those from running too.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no container "etcd" with a volume "data".
 */
export function imageCheckPod(
  statefulSet: Manifest,
  { helperImage, name, namespace }: ImageCheckOptions,
): Manifest {
  const podSpec = podSpecOf(statefulSet)
  const { etcd } = containerOfEtcd(statefulSet)
  const common = {
    imagePullPolicy: etcd.imagePullPolicy,
    securityContext: etcd.securityContext,
    resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
  }
  const kept = KEPT.filter((field) => podSpec[field] !== undefined)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: objectName(name, 'image-check'), namespace, labels: objectLabels(name) },
    spec: {
      ...Object.fromEntries(kept.map((field) => [field, podSpec[field]])),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      activeDeadlineSeconds: LONGEST_SECONDS,
      containers: [
        { name: RECEIVER, image: helperImage, command: ['node', '--version'], ...common },
        { name: 'etcd', image: etcd.image, command: ['etcdutl', 'version'], ...common },
      ],
    },
  }
}

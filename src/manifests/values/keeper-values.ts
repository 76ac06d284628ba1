import { hasEphemeralMembers } from '../../control-plane/spec/needs-keeper.ts'
import { type AnyComponentName, componentsOf } from '../../control-plane/plane/plane.ts'
import { runsWhilePaused } from '../../control-plane/plane/runs-while-paused.ts'
import { toSecretData } from './component-values.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { KEEPER_PORT } from '../ports.ts'
import { hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import {
  COMPONENT_LABEL,
  lockName,
  objectLabels,
  objectName,
  PLANE_LABEL,
  secretNames,
} from '../object-names.ts'
import { checksumOf, filesOfPod, filesReadOnce, secretKeyOf } from '../pod-files.ts'
import { memberName } from '../pod-layout.ts'
import { readProgram } from '../templates/load-templates.ts'

/** The components whose status the keeper requests itself, and the keeper. */
const PROBED: readonly AnyComponentName[] = ['etcd', 'kube-apiserver', 'keeper']

/** The keeper uses it to ask kube-apiserver how much the plane is used; only planes that pause themselves need it. */
const PROXY_KEY = 'front-proxy-client.key'

/** The variables of the AWS SDK that a Secret may contain. */
const AWS_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
]

/**
 * The template values of the keeper; undefined for a plane without one.
 *
 * @throws {VplaneError} `FAILED` when the keeper was not built.
 */
export function keeperValues(input: ManifestInput): TemplateValues | undefined {
  const { desired, files, id, name, namespace, programOf = readProgram, spec } = input
  const { etcd, keeper, monitor, pods, sync } = hostOf(spec)
  if (keeper === undefined) {
    return undefined
  }
  const selector = { [PLANE_LABEL]: name, [COMPONENT_LABEL]: 'keeper' }
  const labels = { ...objectLabels(name), ...selector }
  const secret = Object.fromEntries(
    Object.entries(filesOfPod('keeper', files)).filter(
      ([file]) => file !== PROXY_KEY || spec.idle !== undefined,
    ),
  )
  const bundle = programOf('keeper')
  const components = componentsOf(spec)
  return {
    name: objectName(name, 'keeper'),
    statusName: objectName(name, 'keeper-status'),
    watchedNames: components
      .filter((component) => !PROBED.includes(component))
      .map((component) => objectName(name, component)),
    membersName: objectName(name, 'keeper-members'),
    memberPods: Array.from({ length: etcd.replicas }, (_, ordinal) => memberName(name, ordinal)),
    idleName: objectName(name, 'keeper-idle'),
    recordName: objectName(name, 'record'),
    volumesName: objectName(name, 'keeper-volumes'),
    lockName: lockName(name),
    renewName: objectName(name, 'keeper-renew'),
    secretNames: secretNames(name, components),
    workloads: components.map((component) => objectName(name, component)),
    podVerbs: ['list', 'watch', ...(sync === undefined ? [] : ['delete'])],
    labels,
    selector,
    podLabels: { ...pods.labels, ...labels },
    podAnnotations: {
      ...pods.annotations,
      'vplane.dev/bundle-checksum': checksumOf({ bundle }),
      'vplane.dev/secret-checksum': checksumOf(filesReadOnce('keeper', files)),
    },
    replicas: desired === 'paused' && !runsWhilePaused(spec, 'keeper') ? 0 : keeper.replicas,
    affinity: pods.affinity,
    image: keeper.image,
    resources: keeper.resources,
    port: KEEPER_PORT,
    monitorLabels: { ...monitor?.labels, ...labels },
    env: [
      { name: 'VPLANE_PLANE', value: name },
      { name: 'VPLANE_PLANE_ID', value: id },
      { name: 'VPLANE_STATUS', value: objectName(name, 'keeper-status') },
      { name: 'VPLANE_API_HOST', value: `${objectName(name, 'kube-apiserver')}.${namespace}.svc` },
      { name: 'VPLANE_ETCD_HOST', value: `${objectName(name, 'etcd-peers')}.${namespace}.svc` },
      { name: 'VPLANE_COMPONENTS', value: components.join(',') },
      { name: 'VPLANE_ETCD_MEMBERS', value: String(etcd.replicas) },
      ...(spec.backup === undefined
        ? []
        : [{ name: 'VPLANE_BACKUP', value: JSON.stringify(spec.backup) }]),
      ...(hasEphemeralMembers(spec) ? [{ name: 'VPLANE_PASSING_MEMBERS', value: 'true' }] : []),
      ...(spec.idle === undefined ? [] : [{ name: 'VPLANE_IDLE', value: spec.idle }]),
      ...(spec.renew === true ? [{ name: 'VPLANE_RENEW', value: 'true' }] : []),
      ...credentialsOf(spec.backup?.secret),
    ],
    secretData: toSecretData(secret),
    secretItems: Object.keys(secret).map((path) => ({ key: secretKeyOf(path), path })),
    bundle,
  }
}

/** The variables from a Secret. They are optional: a missing one fails the backup, not the start of the pod. */
function credentialsOf(secret: string | undefined): object[] {
  return AWS_VARIABLES.flatMap((variable) =>
    secret === undefined
      ? []
      : [
          {
            name: variable,
            valueFrom: { secretKeyRef: { name: secret, key: variable, optional: true } },
          },
        ],
  )
}

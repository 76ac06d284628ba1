import { hasEphemeralMembers } from '../../control-plane/spec/needs-keeper.ts'
import { type AnyComponentName, componentsOf } from '../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { toSecretData } from './component-values.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { KEEPER_PORT } from '../ports.ts'
import { hasPods, hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import { lockName, objectLabels, objectName, secretNames, selectorLabels } from '../object-names.ts'
import { checksumOf, filesOfPod, filesReadOnce, secretKeyOf } from '../pod-files.ts'
import { memberName, membersHost } from '../pod-layout.ts'
import { readProgram } from '../templates/load-templates.ts'

/** The components whose status the keeper requests itself, and the keeper. */
const PROBED: readonly AnyComponentName[] = ['etcd', 'kube-apiserver', 'keeper']

/** The keeper uses it to ask kube-apiserver how much the plane is used, and for credentials. */
const PROXY_KEY = 'front-proxy-client.key'

/** It shows by which key tokens are signed. */
const TOKEN_KEYS = 'sa.pub'

/** The keeper's variable for etcd members that store their data in their pods alone. */
const EPHEMERAL_MEMBERS = 'VPLANE_PASSING_MEMBERS'

/** The variables of the AWS SDK that a Secret may contain. */
const AWS_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
]

/** Undefined without a keeper. @throws {VplaneError} `FAILED` when the keeper was not built. */
export function keeperValues(input: ManifestInput): TemplateValues | undefined {
  const { files, id, name, namespace, programOf = readProgram, spec } = input
  const { etcd, expose, keeper, monitor, pods, sync } = hostOf(spec)
  if (keeper === undefined) {
    return undefined
  }
  const selector = selectorLabels(name, 'keeper')
  const labels = objectLabels(name, 'keeper')
  const secret = Object.fromEntries(
    Object.entries(filesOfPod('keeper', files)).filter(
      ([file]) =>
        (file !== PROXY_KEY || spec.idle !== undefined || spec.credentials !== undefined) &&
        (file !== TOKEN_KEYS || spec.credentials !== undefined),
    ),
  )
  const bundle = programOf('keeper')
  const components = componentsOf(spec)
  const variables = omitUndefined({
    VPLANE_PLANE: name,
    VPLANE_PLANE_ID: id,
    VPLANE_STATUS: objectName(name, 'keeper-status'),
    VPLANE_API_HOST: `${objectName(name, 'kube-apiserver')}.${namespace}.svc`,
    VPLANE_ETCD_HOST: membersHost({ name, namespace }),
    VPLANE_COMPONENTS: components.join(','),
    VPLANE_ETCD_MEMBERS: String(etcd.replicas),
    VPLANE_BACKUP: spec.backup && JSON.stringify(spec.backup),
    [EPHEMERAL_MEMBERS]: hasEphemeralMembers(spec) ? 'true' : undefined,
    VPLANE_IDLE: spec.idle,
    VPLANE_RENEW: spec.renew === true ? 'true' : undefined,
    VPLANE_CREDENTIALS: spec.credentials && JSON.stringify(spec.credentials),
    VPLANE_EXPOSE: hasExposedCredentials(spec) ? JSON.stringify(expose) : undefined,
  })
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
    credentialsName: objectName(name, 'keeper-credentials'),
    credentialSecrets: ownCredentials(input),
    addressesName: objectName(name, 'keeper-addresses'),
    endpointName: objectName(name, 'api'),
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
    replicas: hasPods(input, 'keeper') ? keeper.replicas : 0,
    affinity: pods.affinity,
    image: keeper.image,
    resources: keeper.resources,
    port: KEEPER_PORT,
    monitorLabels: { ...monitor?.labels, ...labels },
    env: [
      ...Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
      ...credentialsOf(spec.backup?.secret),
    ],
    secretData: toSecretData(secret),
    secretItems: Object.keys(secret).map((path) => ({ key: secretKeyOf(path), path })),
    bundle,
  }
}

/** The names of the Secrets with credentials in the namespace of the plane. */
export function ownCredentials({
  namespace: own,
  spec,
}: Pick<ManifestInput, 'namespace' | 'spec'>): string[] {
  return Object.values(spec.credentials ?? {})
    .filter(({ namespace = own }) => namespace === own)
    .map(({ secret }) => secret)
}

/** Whether a credential has the address outside of the host cluster. */
export function hasExposedCredentials({
  credentials = {},
}: Pick<PlaneSpec, 'credentials'>): boolean {
  return Object.values(credentials).some(({ address }) => address === 'exposed')
}

/** The variables from a Secret. They are optional: a missing one fails the backup, not the start of the pod. */
function credentialsOf(secret: string | undefined): object[] {
  const variables = secret === undefined ? [] : AWS_VARIABLES
  return variables.map((key) => ({
    name: key,
    valueFrom: { secretKeyRef: { name: secret, key, optional: true } },
  }))
}

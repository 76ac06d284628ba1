import * as z from 'zod'
import { messageOf } from '../../shared/errors.ts'
import { backupField } from './fields/backup-field.ts'
import { idleField, wakeField, type WakeSpec } from './fields/idle-fields.ts'
import type { BackupSpec } from './fields/backup-spec.ts'
import { credentialsField } from './credentials/credentials-field.ts'
import type { CredentialSpecs } from './credentials/credentials-spec.ts'
import { isDomain, isIssuer, isSan, isServiceRange } from './network/addresses.ts'
import { ENCRYPTION_PROVIDERS, type EncryptionSpec } from './fields/encryption-spec.ts'
import { hostFields } from './fields/host-fields.ts'
import type { HostSpec } from './fields/host-spec.ts'
import { labels } from './fields/labels.ts'
import { storeField } from '../store/store-field.ts'
import { apiServerPeers } from './network/network-peers-field.ts'
import { knownKubernetesVersions, parseKubernetesVersion } from './kubernetes-version.ts'
import type { StoreSpec } from '../store/store.ts'
import { etcdReplicas, podTemplate, replicas, workloadFields } from './fields/workload-fields.ts'

// Arguments of a process cannot contain a NUL.
const argument = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')

const extraArguments = z
  .record(
    z
      .string()
      .regex(
        /^[a-z][a-z0-9-]*$/,
        'is not a flag name without leading dashes, such as "audit-log-maxage"',
      ),
    z.union([argument, z.array(argument)], {
      error: 'must be a string or a list of strings: put numbers and true or false in quotes',
    }),
  )
  .describe(
    'Flags by name, without the leading dashes. They override defaults. An array repeats the flag; an empty array removes a default.',
  )

const componentFields = {
  extraArgs: extraArguments.optional(),
  goGc: z
    .int()
    .min(10)
    .max(1000)
    .optional()
    .describe(
      'GOGC of the process: a lower value uses less memory and more CPU. docs/performance.md has the measurements behind the default.',
    ),
  ...workloadFields,
  podTemplate,
}

const component = z.strictObject({ ...componentFields, replicas })

/**
 * The spec that a user writes. Its type, its validation and its JSON schema come from this schema. Every field is
 * optional, and only the fields that were set are stored.
 */
export const userSpecSchema = z.strictObject({
  version: z
    .string({ error: 'must be a string: put it in quotes, such as "1.36"' })
    .superRefine(checkVersion)
    .optional()
    .describe('Kubernetes version: "1.36" or "1.36.3".'),
  ephemeral: z
    .boolean()
    .optional()
    .describe('Runs etcd without fsync. A delete or a reboot loses the data.'),
  store: storeField,
  apiGroups: z
    .enum(['all', 'lean'])
    .optional()
    .describe('"lean" disables workload API groups (apps, batch, …) to save memory.'),
  serviceRange: z
    .string()
    .refine(isServiceRange, 'is not an IPv4 range of 8 addresses or more, such as "10.96.0.0/16"')
    .optional()
    .describe('IPv4 range of the cluster IPs of Services: "10.96.0.0/16".'),
  clusterDomain: z
    .string()
    .refine(isDomain, 'is not a DNS domain such as "cluster.local"')
    .optional()
    .describe('DNS domain of the plane.'),
  serviceAccountIssuer: z
    .string()
    .refine(isIssuer, 'is not an https URL such as "https://issuer.example.com/dev"')
    .optional()
    .describe(
      'Issuer of the tokens of its ServiceAccounts. The default is "https://kubernetes.default.svc.cluster.local".',
    ),
  extraSans: z
    .array(z.string().refine(isSan, 'is neither a host name nor an IP address'))
    .optional()
    .describe('Additional host names and IP addresses for the certificate of kube-apiserver.'),
  pki: z
    .strictObject({
      algorithm: z
        .enum(['ecdsa', 'rsa'])
        .optional()
        .describe('"ecdsa" is ECDSA P-256, "rsa" is RSA-2048.'),
    })
    .optional()
    .describe('Key algorithm of the CAs and certificates: ECDSA P-256 or RSA-2048.'),
  authentication: z
    .strictObject({
      jwt: z
        .array(z.looseObject({}))
        .optional()
        .describe('JWT authenticators, as in the AuthenticationConfiguration of kube-apiserver.'),
    })
    .optional()
    .describe('Who may log in to kube-apiserver besides the users of vplane.'),
  featureGates: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'is not the name of a feature gate'),
      z.boolean(),
    )
    .optional()
    .describe('Feature gates of kube-apiserver, kube-controller-manager and kube-scheduler.'),
  audit: z
    .strictObject({
      policy: z
        .looseObject({})
        .describe('The Policy, with its rules; kind and apiVersion may be left out.'),
    })
    .optional()
    .describe('An audit.k8s.io/v1 Policy: kube-apiserver writes audit events to its log.'),
  encryption: z
    .strictObject({
      secrets: z
        .boolean()
        .describe(
          'The default is true with the kubernetes driver and false with the local driver.',
        ),
      provider: z
        .enum(ENCRYPTION_PROVIDERS)
        .exactOptional()
        .describe(
          'Encrypts new writes; the default is "secretbox". Unencrypted Secrets remain readable. "aesgcm" requires a rotation of its key every 200,000 writes.',
        ),
    })
    .optional()
    .describe('How Secrets are encrypted in etcd.'),
  backup: backupField,
  idle: idleField,
  wake: wakeField,
  renew: z
    .boolean()
    .optional()
    .describe('Renews certificates of components in their last 90 days, while no command runs.'),
  labels: labels
    .optional()
    .describe(
      'Labels of the plane, by which list -l selects. In a host cluster, the Secret with the record of the plane has them, too.',
    ),
  credentials: credentialsField,
  ...hostFields,
  etcd: z
    .strictObject({
      ...componentFields,
      replicas: etcdReplicas,
      prefix: z
        .string()
        .regex(/^(\/[A-Za-z0-9._-]+)+$/, 'is not a path such as "/registry"')
        .optional()
        .describe('Prefix of all keys of the plane in etcd: "/registry".'),
    })
    .optional()
    .describe('How etcd is run.'),
  apiServer: component.extend(apiServerPeers).optional().describe('How kube-apiserver is run.'),
  controllerManager: component.optional().describe('How kube-controller-manager is run.'),
  scheduler: component
    .optional()
    .describe('The plane\'s own scheduler. Only with "sync.scheduler: virtual".'),
})

/** A spec as a user wrote it, without defaults. */
export type UserSpec = z.infer<typeof userSpecSchema>

/** Flags by name; an array repeats the flag. */
export type ExtraArguments = Record<string, string | string[]>

export interface ComponentSpec {
  extraArgs: ExtraArguments
  goGc: number
}

/**
 * A spec with every default filled in. It is stored beside the user's spec, so that new defaults never change a plane. It
 * has no labels: nothing that runs depends on them.
 */
export interface PlaneSpec {
  version: string
  etcdVersion: string
  /** During an upgrade to another minor: the previous version, which the components emulate. @default no upgrade runs */
  upgradingFrom?: string
  /**
   * During an upgrade: the new version has run without emulation, and may have stored objects that the previous version
   * cannot read. @default a return to the previous version is possible
   */
  isPastReturn?: boolean
  /** During an upgrade of etcd: its previous version. @default no upgrade of etcd runs */
  etcdUpgradingFrom?: string
  ephemeral: boolean
  /** @default etcd of its own */
  store?: StoreSpec
  /** The release of kine; only with that store. */
  kineVersion?: string
  apiGroups: 'all' | 'lean'
  serviceRange: string
  clusterDomain: string
  /** Issuer of the tokens of its ServiceAccounts. @default kubernetes.default.svc of its domain, with https */
  serviceAccountIssuer?: string
  extraSans: string[]
  pki: { algorithm: 'ecdsa' | 'rsa' }
  authentication: { jwt: Array<Record<string, unknown>> }
  featureGates: Record<string, boolean>
  /** An audit.k8s.io/v1 Policy. @default requests are not recorded */
  audit?: { policy: Record<string, unknown> }
  /** @default Secrets are not encrypted in etcd */
  encryption?: EncryptionSpec
  /** @default the plane has no backups */
  backup?: BackupSpec
  /** How long the plane is unused before it pauses itself: `30m`. @default it never pauses itself */
  idle?: string
  /** Which clients wake it when it has paused itself. @default only those with the credential plugin */
  wake?: WakeSpec
  /** Whether the keeper renews its certificates while no command runs. @default false */
  renew?: boolean
  /** Secrets with credentials for it; only with the `kubernetes` driver. @default none */
  credentials?: CredentialSpecs
  /** Only with the `kubernetes` driver. */
  host?: HostSpec
  /** `prefix` starts all keys of the plane in etcd. @default '/registry' */
  etcd: ComponentSpec & { prefix?: string }
  apiServer: ComponentSpec
  controllerManager: ComponentSpec
  /** @default the plane does not have its own scheduler */
  scheduler?: ComponentSpec
}

function checkVersion(text: string, context: z.RefinementCtx): void {
  try {
    parseKubernetesVersion(text)
  } catch (error) {
    context.addIssue(`${messageOf(error)}; known are ${knownKubernetesVersions().join(', ')}`)
  }
}

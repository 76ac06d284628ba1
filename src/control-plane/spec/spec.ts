import { isIP, isIPv4 } from 'node:net'
import { z } from 'zod'
import { messageOf } from '../../shared/errors.ts'
import { toHostName } from '../../shared/network/host-name.ts'
import { backupField } from './fields/backup-field.ts'
import type { BackupSpec } from './fields/backup-spec.ts'
import { encryptionField } from './fields/encryption-field.ts'
import type { EncryptionSpec } from './fields/encryption-spec.ts'
import { hostFields } from './fields/host-fields.ts'
import type { HostSpec } from './fields/host-spec.ts'
import { idleField } from './fields/idle-field.ts'
import { knownKubernetesVersions, parseKubernetesVersion } from './kubernetes-version.ts'
import { etcdReplicas, replicas, workloadFields } from './fields/workload-fields.ts'

/** A flag's value: it ends up among the arguments of a process, which cannot hold a NUL. */
const argument = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL character')

/** One value, or several of a flag that may be repeated. */
const extraArguments = z
  .record(
    z
      .string()
      .regex(
        /^[a-z][a-z0-9-]*$/,
        'is not a flag name without dashes in front, such as "audit-log-maxage"',
      ),
    z.union([argument, z.array(argument)], {
      error: 'must be a string or a list of strings: put numbers and true or false in quotes',
    }),
  )
  .describe(
    'Flags by name, without the leading dashes; an array repeats the flag, an empty one leaves a default out. They win over defaults.',
  )

const componentFields = {
  extraArgs: extraArguments.optional(),
  goGc: z
    .int()
    .min(10)
    .max(1000)
    .optional()
    .describe(
      'GOGC of the process: lower is less memory and more CPU. The default is measured, see docs/performance.md.',
    ),
  ...workloadFields,
}

const component = z.strictObject({ ...componentFields, replicas })

/**
 * What a user may say about a plane. This schema gives the type, the validation and the JSON schema; every field is
 * optional, and only what was said is stored as the user's spec.
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
    .describe('etcd without fsync; the data is gone on delete and on reboot.'),
  apiGroups: z
    .enum(['all', 'lean'])
    .optional()
    .describe(
      '"lean" switches the workload API groups (apps, batch, autoscaling, …) off to save memory.',
    ),
  serviceRange: z
    .string()
    .refine(isServiceRange, 'is not an IPv4 range of 8 addresses or more, such as "10.96.0.0/16"')
    .optional()
    .describe('Range of the cluster IPs of Services, IPv4: "10.96.0.0/16".'),
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
      'Who issues the tokens of its ServiceAccounts, "https://kubernetes.default.svc.cluster.local" by default.',
    ),
  extraSans: z
    .array(z.string().refine(isSan, 'is neither a host name nor an IP address'))
    .optional()
    .describe('More host names and addresses for the certificate of kube-apiserver.'),
  pki: z
    .strictObject({ algorithm: z.enum(['ecdsa', 'rsa']).optional() })
    .optional()
    .describe('Keys of CAs and leaf certificates: ECDSA P-256 or RSA-2048.'),
  authentication: z
    .strictObject({
      jwt: z
        .array(z.looseObject({}))
        .optional()
        .describe('JWT authenticators, as in the AuthenticationConfiguration of kube-apiserver.'),
    })
    .optional(),
  featureGates: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'is not the name of a feature gate'),
      z.boolean(),
    )
    .optional()
    .describe('Feature gates of kube-apiserver, kube-controller-manager and kube-scheduler.'),
  audit: z
    .strictObject({ policy: z.looseObject({}) })
    .optional()
    .describe(
      'What kube-apiserver writes down of requests, by an audit.k8s.io/v1 Policy; it is part of its log.',
    ),
  encryption: encryptionField,
  backup: backupField,
  idle: idleField,
  renew: z
    .boolean()
    .optional()
    .describe(
      'Certificates of components are issued anew in their last 90 days, even when no command looks at the plane for so long.',
    ),
  ...hostFields,
  etcd: z
    .strictObject({
      ...componentFields,
      replicas: etcdReplicas,
      prefix: z
        .string()
        .regex(/^(\/[A-Za-z0-9._-]+)+$/, 'is not a path such as "/registry"')
        .optional()
        .describe('What all keys of the plane begin with in etcd: "/registry".'),
    })
    .optional(),
  apiServer: component.optional(),
  controllerManager: component.optional(),
  scheduler: component
    .optional()
    .describe('The scheduler of the plane itself; only with "sync.scheduler: virtual".'),
})

/** A spec as a user wrote it: only what was said. */
export type UserSpec = z.infer<typeof userSpecSchema>

/** Flags by name; an array repeats the flag. */
export type ExtraArguments = Record<string, string | string[]>

export interface ComponentSpec {
  extraArgs: ExtraArguments
  goGc: number
}

/** A spec with every default filled in. It is stored beside the user's, so that new defaults never change a plane. */
export interface PlaneSpec {
  version: string
  etcdVersion: string
  /** While it is upgraded to another minor: the version before, as which its components behave. @default it is not */
  upgradingFrom?: string
  /**
   * Meanwhile: the new version has run as itself, and may have stored what the one before cannot read. @default it may go
   * back
   */
  isPastReturn?: boolean
  /** While its etcd is brought to another version: the one before. @default it is not */
  etcdUpgradingFrom?: string
  ephemeral: boolean
  apiGroups: 'all' | 'lean'
  serviceRange: string
  clusterDomain: string
  /** Who issues the tokens of its ServiceAccounts. @default kubernetes.default.svc of its domain, with https */
  serviceAccountIssuer?: string
  extraSans: string[]
  pki: { algorithm: 'ecdsa' | 'rsa' }
  authentication: { jwt: Array<Record<string, unknown>> }
  featureGates: Record<string, boolean>
  /** An audit.k8s.io/v1 Policy. @default nothing is written down */
  audit?: { policy: Record<string, unknown> }
  /** @default Secrets are not encrypted in etcd */
  encryption?: EncryptionSpec
  /** @default its data is copied by nobody */
  backup?: BackupSpec
  /** It pauses itself when nobody has used it for so long: `30m`. @default it never does */
  idle?: string
  /** Its certificates are renewed while no command looks at it. @default false */
  renew?: boolean
  /** How the plane stands in a host namespace; only with the `kubernetes` driver. */
  host?: HostSpec
  /** With what all keys of the plane begin. @default '/registry' */
  etcd: ComponentSpec & { prefix?: string }
  apiServer: ComponentSpec
  controllerManager: ComponentSpec
  /** @default it has no scheduler of its own */
  scheduler?: ComponentSpec
}

function checkVersion(text: string, context: z.RefinementCtx): void {
  try {
    parseKubernetesVersion(text)
  } catch (error) {
    context.addIssue(`${messageOf(error)}; known are ${knownKubernetesVersions().join(', ')}`)
  }
}

/** kube-apiserver asks for 8 addresses, and 16 million are more than any plane needs. */
function isServiceRange(text: string): boolean {
  const [, address = '', prefix = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  return isIPv4(address) && Number(prefix) >= 8 && Number(prefix) <= 29
}

/** Room for `kubernetes.default.svc.` in front, and for the names of other Services. */
function isDomain(text: string): boolean {
  const isPlain = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text)
  return isPlain && text.length <= 180 && toHostName(text) === text
}

/** As OpenID Connect Discovery has it: neither a query nor a fragment. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && !/[?#\s]/.test(text)
}

function isSan(text: string): boolean {
  return toHostName(text) !== undefined || (isIP(text) !== 0 && !text.includes('%'))
}

import * as z from 'zod'
import { isDuration } from '../../../shared/text/duration.ts'
import {
  CREDENTIAL_ADDRESSES,
  CREDENTIAL_FORMATS,
  type CredentialSpec,
} from './credentials-spec.ts'
import { objectName } from '../fields/workload-fields.ts'

/** The shortest lifetime that API servers accept for tokens and certificates. */
const SHORTEST_MS = 10 * 60_000

/** A credential that is renewed needs no longer life; timers of Node.js end after 24 days. */
const LONGEST_MS = 480 * 3_600_000

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const identityName = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'has control characters')
  .refine(
    (text) => !text.startsWith('system:'),
    'is reserved for Kubernetes: identities of "system:", such as "system:masters", have permissions that no role takes away',
  )

const credential = z
  .strictObject({
    secret: objectName()
      .refine(
        (text) => !text.startsWith('vplane-'),
        'is reserved for vplane: names of its own Secrets begin with "vplane-"',
      )
      .optional()
      .describe('Name of the Secret. The default is the name of the entry.'),
    namespace: z
      .string()
      .regex(DNS_LABEL, 'is not a valid name of a namespace')
      .optional()
      .describe(
        'Namespace of the Secret in the host cluster, if it is not that of the control plane. It needs a Role there that permits it.',
      ),
    format: z
      .enum(CREDENTIAL_FORMATS)
      .optional()
      .describe(
        '"kubeconfig", the default, is a kubeconfig under the key "value", as Flux and Cluster API read it. "argocd" is a cluster of Argo CD. "files" is a kubeconfig under the key "kubeconfig" with its certificates or its token in files beside it, to be mounted.',
      ),
    user: identityName.optional().describe('Name of a user, who gets a client certificate.'),
    groups: z.array(identityName).optional().describe('Groups of the user.'),
    serviceAccount: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]*[a-z0-9])?\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
        'is not of the form "NAMESPACE/NAME"',
      )
      .refine(
        (text) => !text.startsWith('kube-system/'),
        'is reserved for Kubernetes: its controllers use ServiceAccounts of "kube-system"',
      )
      .optional()
      .describe(
        'ServiceAccount of the control plane as "NAMESPACE/NAME", which gets a token. With "clusterRole" it is created.',
      ),
    clusterRole: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[^/%]+$/, 'is not the name of a ClusterRole')
      .optional()
      .describe(
        'ClusterRole of the control plane to which the user or the ServiceAccount is bound: "view".',
      ),
    address: z
      .enum(CREDENTIAL_ADDRESSES)
      .optional()
      .describe(
        'Address of the API: "in-cluster", the default, is that of its Service; "exposed" is the one that "expose" gives it.',
      ),
    lifetime: z
      .string()
      .refine(
        (text) => isDuration(text, { leastMs: SHORTEST_MS, mostMs: LONGEST_MS }),
        'is not a duration from "10m" to "480h", such as "24h"',
      )
      .optional()
      .describe(
        'Lifetime of each credential, from "10m" to "480h". The default is "24h". It is renewed after half of it.',
      ),
  })
  .superRefine(checkSubject)

/** The schema of `credentials` in a user's spec. */
export const credentialsField = z
  .record(z.string().regex(DNS_LABEL, 'is not a name such as "flux"'), credential)
  .optional()
  .describe(
    'Secrets in the host cluster with credentials for the control plane, by names that you choose. They are renewed after half of their lifetime, as long as the control plane runs. Only with the kubernetes driver.',
  )

type Subject = {
  [Field in 'groups' | 'serviceAccount' | 'user']?: CredentialSpec[Field] | undefined
}

function checkSubject({ groups, serviceAccount, user }: Subject, context: z.RefinementCtx): void {
  if ((user === undefined) === (serviceAccount === undefined)) {
    context.addIssue('needs either "user" or "serviceAccount"')
  } else if (user === undefined && groups !== undefined) {
    context.addIssue('"groups" are those of a "user": the groups of a ServiceAccount are fixed')
  }
}

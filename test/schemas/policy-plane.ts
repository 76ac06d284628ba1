import { join } from 'node:path'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type Cli, type CommandResult, createCli } from '../support/cli/cli.ts'

/** A rule of a Role: group, resources, verbs, and the names of the only objects. */
export type Grant = [group: string, resources: string[], verbs: string[], names?: string[]]

interface Place {
  /** @default 'dev', which nothing stores */
  name?: string
  /** @default TEAM */
  namespace?: string
}

/** A local plane with the CRDs and policies for ControlPlanes, as a host cluster has them. */
export interface PolicyPlane extends AsyncDisposable {
  cli: Cli
  apply(...items: object[]): Promise<string>
  /** Creates a ControlPlane as a user, or as the admin without one; without a name only as a dry run. */
  create(user: string | undefined, spec: object, place?: Place): Promise<CommandResult>
  patch(user: string, fields: object, place?: Place): Promise<CommandResult>
}

/** The namespace of requests that name none. */
export const TEAM = 'team-a'

const RBAC = 'rbac.authorization.k8s.io'

export async function startPolicyPlane(): Promise<PolicyPlane> {
  const cli = await createCli()
  await cli.ok(['create', 'dev', '--crd', join(packageRoot(), 'schemas/crds')])
  await cli.ok(['connect', 'dev'])
  await cli.kubectlOk(['apply', '-f', join(packageRoot(), 'schemas/policies')])
  return {
    cli,
    apply: (...items) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      return cli.kubectlOk(['apply', '-f', '-'], { input })
    },
    create: (user, spec, { name, namespace = TEAM } = {}) => {
      const metadata = { name: name ?? 'dry', namespace }
      const object = { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlane', metadata, spec }
      const dryRun = name === undefined ? ['--dry-run=server'] : []
      const input = JSON.stringify(object)
      return cli.kubectl(['create', '-f', '-', ...asUser(user), ...dryRun], { input })
    },
    patch: (user, fields, { name = 'dev', namespace = TEAM } = {}) => {
      const merge = ['--type=merge', `--patch=${JSON.stringify(fields)}`]
      return cli.kubectl(['patch', 'vcp', name, `-n=${namespace}`, ...asUser(user), ...merge])
    },
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}

function asUser(user: string | undefined): string[] {
  return user === undefined ? [] : [`--as=${user}`]
}

/** A Role with a RoleBinding for users, or a ClusterRole with a ClusterRoleBinding without a namespace. */
export function granted(
  name: string,
  grants: readonly Grant[],
  { namespace, users }: { namespace?: string; users: readonly string[] },
): object[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const rules = grants.map(([group, resources, verbs, resourceNames]) => ({
    apiGroups: [group],
    resources,
    verbs,
    resourceNames,
  }))
  const role = { apiVersion: `${RBAC}/v1`, kind, metadata: { name, namespace }, rules }
  return [role, binding({ kind, name }, { namespace, users })]
}

/** The binding of a role to users. */
export function binding(
  role: { kind: 'ClusterRole' | 'Role'; name: string },
  { namespace, users }: { namespace?: string | undefined; users: readonly string[] },
): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name: role.name, namespace },
    roleRef: { apiGroup: RBAC, ...role },
    subjects: users.map((name) => ({ apiGroup: RBAC, kind: 'User', name })),
  }
}

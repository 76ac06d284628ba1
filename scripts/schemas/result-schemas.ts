import { z } from 'zod'
import type { SettingEntry } from '../../src/cli/settings/settings.ts'
import type { PlaneDetails } from '../../src/cli/results/plane-result.ts'
import type { SeveralResult } from '../../src/cli/results/several-result.ts'
import type { ListResult } from '../../src/commands/list.ts'
import type { ErrorJson } from '../../src/cli/errors/present-error.ts'
import { SETTING_KEYS } from '../../src/cli/settings/setting-keys.ts'
import type { BinariesListResult } from '../../src/commands/binaries/list.ts'
import type { BinariesPruneResult } from '../../src/commands/binaries/prune.ts'
import type { BinariesPullResult } from '../../src/commands/binaries/pull.ts'
import type { CompletionResult } from '../../src/commands/completion.ts'
import type { ConfigListResult } from '../../src/commands/config/list.ts'
import type { ConfigSetResult } from '../../src/commands/config/set.ts'
import type { ConfigUnsetResult } from '../../src/commands/config/unset.ts'
import type { KubeconfigJson } from '../../src/cli/results/kubeconfig-json.ts'
import type { ConnectResult } from '../../src/commands/connect.ts'
import type { DeleteResult } from '../../src/commands/delete.ts'
import type { DisconnectResult } from '../../src/commands/disconnect.ts'
import type { DoctorResult } from '../../src/commands/doctor.ts'
import type { HelpResult } from '../../src/commands/help.ts'
import type { LogsResult } from '../../src/commands/logs.ts'
import type { PauseResult } from '../../src/commands/pause.ts'
import type { ProxyResult } from '../../src/commands/proxy.ts'
import type { RenderResult } from '../../src/commands/render.ts'
import type { ResumeResult } from '../../src/commands/resume.ts'
import type { VersionResult } from '../../src/commands/version.ts'
import { COMPLETION_SHELLS } from '../../src/cli/completion/completion-script.ts'
import { ALL_COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { userSpecSchema } from '../../src/control-plane/spec/spec.ts'
import { CREATE_SCHEMAS } from './create-schemas.ts'
import { DAY_TWO_SCHEMAS } from './day-two-schemas.ts'
import { EXPLAIN_SCHEMA } from './explain-schema.ts'
import { detailFields, planeFields } from './plane-schemas.ts'
import { planeSpecSchema } from './plane-spec-schema.ts'
import { KEEPER_SCHEMAS } from './keeper-schemas.ts'
import { CONFIG_SCHEMA, KUBECONFIG_SCHEMA } from './kubeconfig-schema.ts'
import { resultOf } from './result-of.ts'
import { OPERATOR_SCHEMAS } from './operator-schemas.ts'
import { errorSchema, orSeveral } from './several-schema.ts'
import { SNAPSHOT_SCHEMAS } from './snapshot-schemas.ts'
import { changedTo, stepSchema } from './step-schema.ts'

const text = z.string()
const textOrNull = z.string().nullable()
const bytes = z.int().min(0)
const object = z.record(z.string(), z.unknown())

/**
 * The result of every command under `--json`, by the command's id with `-` between its words; all of them print
 * `error` if they fail. A schema that differs from the type of its command does not compile.
 */
export const RESULT_SCHEMAS: Record<string, z.ZodType> = {
  ...CREATE_SCHEMAS,
  ...DAY_TWO_SCHEMAS,
  ...KEEPER_SCHEMAS,
  ...OPERATOR_SCHEMAS,
  ...SNAPSHOT_SCHEMAS,
  'binaries-list': resultOf<BinariesListResult>()(
    z.strictObject({
      items: z.array(
        z.strictObject({
          name: text,
          version: text,
          platform: text,
          path: text,
          sizeBytes: bytes,
          source: z.enum(['download', 'build', 'unknown']),
        }),
      ),
    }),
  ),
  'binaries-prune': resultOf<BinariesPruneResult>()(
    z.strictObject({
      removed: z.array(z.strictObject({ path: text, sizeBytes: bytes })),
      freedBytes: bytes,
      inUse: z.array(text).describe('What another vplane was using; it was not removed.'),
    }),
  ),
  'binaries-pull': resultOf<BinariesPullResult>()(
    z.strictObject({
      binaries: z.array(
        z.strictObject({
          name: z.enum([
            'etcd',
            'etcdutl',
            'kube-apiserver',
            'kube-controller-manager',
            'kubectl',
            'kine',
          ]),
          version: text,
          path: text,
        }),
      ),
    }),
  ),
  completion: resultOf<CompletionResult>()(
    z.strictObject({ shell: z.enum(COMPLETION_SHELLS), script: text }),
  ),
  'config-get': resultOf<SettingEntry>()(setting()),
  'config-list': resultOf<ConfigListResult>()(
    z.strictObject({ file: text, items: z.array(setting()) }),
  ),
  'config-set': resultOf<ConfigSetResult>()(
    z.strictObject({ key: text, value: z.union([z.string(), z.boolean()]), file: text }),
  ),
  'config-unset': resultOf<ConfigUnsetResult>()(
    z.strictObject({
      key: text,
      removed: z.boolean().describe('Whether the file contained it.'),
      file: text,
    }),
  ),
  connect: resultOf<ConnectResult | KubeconfigJson>()(
    z.union([
      z.strictObject({
        name: text,
        driver: text,
        namespace: textOrNull,
        hostContext: textOrNull,
        context: text,
        server: text,
        kubeconfig: text.describe('The file that was changed.'),
        previousContext: textOrNull.describe('The previous current context.'),
      }),
      CONFIG_SCHEMA.describe('With --print: a Config that kubectl reads.'),
    ]),
  ),
  delete: resultOf<DeleteResult | SeveralResult<DeleteResult>>()(
    orSeveral(
      z.strictObject({
        deleted: z.array(
          z.strictObject({
            name: text,
            driver: text,
            namespace: textOrNull,
            hostContext: textOrNull,
            removedContext: textOrNull,
          }),
        ),
        notFound: z
          .array(text)
          .describe('Names without a plane; only with --ignore-not-found or --selector.'),
        steps: z
          .record(z.string(), z.array(stepSchema))
          .describe('The steps that would be done, by the name of the plane; only with --dry-run.'),
      }),
    ),
  ),
  describe: resultOf<PlaneDetails>()(
    z.strictObject({
      ...planeFields,
      hints: z.array(text).describe('What to do if it is not ready, as far as vplane knows.'),
      id: textOrNull.describe('An id that no other plane ever has.'),
      writtenBy: textOrNull.describe('The version of vplane that last wrote its stored state.'),
      ...detailFields,
      userSpec: userSpecSchema.nullable().describe('The spec as the user wrote it.'),
      spec: planeSpecSchema.nullable().describe('The spec with all defaults.'),
    }),
  ),
  disconnect: resultOf<DisconnectResult>()(
    z.strictObject({
      name: text,
      context: text.describe('The context that was removed.'),
      kubeconfig: text.describe('The file that was changed.'),
      currentContext: textOrNull.describe('The context that is current now.'),
    }),
  ),
  doctor: resultOf<DoctorResult>()(
    z.strictObject({
      findings: z.array(
        z.strictObject({
          subject: text,
          level: z.enum(['ok', 'warning', 'problem']),
          message: text,
          hint: text.exactOptional(),
        }),
      ),
    }),
  ),
  error: resultOf<ErrorJson>()(z.strictObject({ error: errorSchema })),
  explain: EXPLAIN_SCHEMA,
  help: resultOf<HelpResult>()(z.strictObject({ help: text })),
  kubeconfig: KUBECONFIG_SCHEMA,
  list: resultOf<ListResult>()(z.strictObject({ items: z.array(z.strictObject(planeFields)) })),
  logs: resultOf<LogsResult>()(
    z.strictObject({
      component: z.enum(ALL_COMPONENT_NAMES),
      pod: textOrNull.describe('Null for a plane on this machine.'),
      line: text.describe('One line of the log; each is printed as an object on its own line.'),
    }),
  ),
  pause: resultOf<PauseResult | SeveralResult<PauseResult>>()(
    orSeveral(z.strictObject({ ...changedTo('Paused'), snapshot: text.nullable() })),
  ),
  proxy: resultOf<ProxyResult>()(
    z.strictObject({
      name: text,
      url: text.describe('Address for a browser; it contains the token.'),
      port: z.int().min(1).max(65_535),
      token: text.describe('Other clients send it: "Authorization: Bearer TOKEN".'),
    }),
  ),
  render: resultOf<RenderResult>()(
    z.strictObject({
      name: text,
      namespace: text,
      manifests: z.array(object).describe('In the order in which they are applied.'),
      leftOut: z.array(text).describe('Secrets with keys; none with --show-secrets.'),
    }),
  ),
  resume: resultOf<ResumeResult | SeveralResult<ResumeResult>>()(
    orSeveral(z.strictObject(changedTo('Ready'))),
  ),
  version: resultOf<VersionResult>()(
    z.strictObject({
      version: text.describe('Version of vplane.'),
      node: text,
      platform: text,
      kubernetes: z.strictObject({ default: text, known: z.array(text) }),
    }),
  ),
}

function setting() {
  return z.strictObject({
    key: z.enum(SETTING_KEYS),
    value: z.union([z.string(), z.boolean()]).nullable(),
    source: z.enum(['environment', 'file', 'built-in']).nullable(),
    variable: text.exactOptional().describe('The variable that sets it.'),
  })
}

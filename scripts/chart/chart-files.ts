import { stringify } from 'yaml'
import type { OperatorSettings } from '../../src/control-plane/declared/operators.ts'
import {
  isInScope,
  operatorValues,
} from '../../src/drivers/kubernetes/operator/operator-objects.ts'
import { fillTemplate } from '../../src/manifests/templates/fill-template.ts'
import {
  type HostedProgram,
  loadOperatorTemplates,
  programFile,
} from '../../src/manifests/templates/load-templates.ts'
import { packageVersion } from '../../src/shared/package-root.ts'

/** The part of the chart with the programs and the definitions. Helm stores the files of a chart in each release, but not those of its parts. */
export const PROGRAMS = 'charts/programs'

/** The operator in the template of a chart: expressions of Helm as values. */
const NAMESPACE = '{{ .Release.Namespace }}'
const SETTINGS = {
  version: '{{ .Chart.AppVersion }}',
  watched: `{{ if ne .Values.scope "cluster" }}${NAMESPACE}{{ end }}`,
  replicas: '{{ toJson .Values.replicas }}',
  image: '{{ toJson .Values.image }}',
  pullSecrets: '{{ toJson .Values.imagePullSecrets }}',
  resources: '{{ toJson .Values.resources }}',
}

/** The generated files of the Helm chart, by their path below `charts/vplane/`. */
export function chartFiles(): Map<string, string> {
  const templates = loadOperatorTemplates().map((template) => {
    const name = template.path.replace(/^.*\//, '')
    const wide = textOf(template, 'cluster')
    const narrow = textOf(template, 'namespace')
    const text =
      wide === narrow
        ? wide
        : `{{- if eq .Values.scope "cluster" }}\n${wide}${narrow === '' ? '' : `{{- else }}\n${narrow}`}{{- end }}\n`
    const folder = name === 'config-map.yaml' ? `${PROGRAMS}/templates` : 'templates'
    const note = `{{- /* Generated from templates/${template.path}: npm run chart */}}\n`
    return [`${folder}/${name}`, `${note}${text}`] as const
  })
  const version = packageVersion()
  const programs = { name: 'programs', version }
  return new Map([
    ...templates,
    [
      'Chart.yaml',
      stringify({
        apiVersion: 'v2',
        name: 'vplane',
        description: 'The operator of vplane, which makes virtual Kubernetes control planes',
        type: 'application',
        version,
        appVersion: version,
        // The admission policies need it.
        kubeVersion: '>=1.30.0-0',
        dependencies: [programs],
      }),
    ],
    [
      `${PROGRAMS}/Chart.yaml`,
      stringify({
        apiVersion: 'v2',
        ...programs,
        description: 'The programs of the operator and of the pods that it creates',
        type: 'application',
      }),
    ],
  ])
}

function textOf(
  template: Parameters<typeof fillTemplate>[0],
  scope: OperatorSettings['scope'],
): string {
  if (!isInScope(template.path, scope)) {
    return ''
  }
  const files = template.path.endsWith('config-map.yaml') ? '.Files' : '.Subcharts.programs.Files'
  const base64 = (program: HostedProgram) => `${files}.Get "files/${programFile(program)}" | b64enc`
  const own = operatorValues(
    { namespace: NAMESPACE, scope, replicas: 1 },
    (program) => `{{ ${base64(program)} }}`,
  )
  const operator = { ...own, ...SETTINGS, checksum: checksum(base64) }
  return fillTemplate(template, { operator })
    .map((object) => withTypes(stringify(object, { lineWidth: 0 })))
    .join('---\n')
}

/** As `checksumOf` computes it. */
function checksum(base64: (program: HostedProgram) => string): string {
  const programs = [
    `(list "bundle" (${base64('operator')}))`,
    `(list "gatewayBundle" (${base64('gateway')}))`,
    `(list "keeperBundle" (${base64('keeper')}))`,
    `(list "syncerBundle" (${base64('syncer')}))`,
  ]
  return `{{ list ${programs.join(' ')} | toJson | sha256sum }}`
}

/** Leaves out the quotes of expressions that bring their own. */
function withTypes(yaml: string): string {
  return yaml.replaceAll(/"(\{\{ toJson [^"\n]* \}\})"/g, '$1')
}

import { recordsAt, textAt } from '../../shared/json-fields.ts'

/** The names of contexts, without a YAML reader, which takes too long; what is not understood is left out. */
export function contextNames(kubeconfig: string): string[] {
  return kubeconfig.trimStart().startsWith('{') ? namesInJson(kubeconfig) : namesInYaml(kubeconfig)
}

function namesInYaml(text: string): string[] {
  const [, block = ''] =
    /^contexts:[^\S\n]*(?:#.*)?\n((?:[ -].*\n|#.*\n|[^\S\n]*\n)*)/m.exec(`${text}\n`) ?? []
  const [, indent] = /^( *)- /m.exec(block) ?? []
  if (indent === undefined) {
    return []
  }
  // Deeper names are those of extensions inside an entry.
  const pattern = new RegExp(`^${indent}(?:- |  )name:[^\\S\\n]+(.*)$`, 'gm')
  return [...block.matchAll(pattern)]
    .map(([, scalar = '']) => unquote(scalar))
    .filter((name) => name !== '')
}

function unquote(scalar: string): string {
  const text = scalar.trim()
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (double !== null) {
    return (double[1] ?? '').replaceAll(/\\(["\\/])/g, '$1')
  }
  const single = /^'((?:[^']|'')*)'/.exec(text)
  return single === null ? text.replace(/\s+#.*$/, '') : (single[1] ?? '').replaceAll("''", "'")
}

function namesInJson(text: string): string[] {
  try {
    return recordsAt(JSON.parse(text), 'contexts').flatMap((entry) => textAt(entry, 'name') ?? [])
  } catch {
    return []
  }
}

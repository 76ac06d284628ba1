import { VplaneError } from '../../shared/errors.ts'
import { replaceScalars } from '../../shared/yaml/yaml-scalars.ts'

/** Values of placeholders: `${etcd.image}` is `image` of `etcd`. One that is undefined takes its field out. */
export interface TemplateValues {
  [name: string]: unknown
}

/** A template and where it is from, for messages. */
export interface Template {
  /** Path in the folder of templates, such as `etcd/service.yaml`. */
  path: string
  source: string
  text: string
}

const PLACEHOLDER = /\$\{([^}]*)\}/g
const WHOLE = /^\$\{([^}]*)\}$/

/**
 * The objects that a template describes: a text that is nothing but `${path}` becomes the value of its type, inside of
 * a longer text it becomes text. Values are never read as YAML.
 *
 * @throws {VplaneError} `INVALID_SPEC` with file and line when the template is not YAML, or a placeholder is unknown,
 * or would be put into a text though it is no text.
 */
export function fillTemplate({ source, text }: Template, values: TemplateValues): unknown[] {
  return replaceScalars({ source, text }, (scalar, line) => {
    const place = `${source}, line ${line}`
    const [, whole] = WHOLE.exec(scalar) ?? []
    if (whole !== undefined) {
      return find(whole, values, place)
    }
    return scalar.replaceAll(PLACEHOLDER, (placeholder, path: string) =>
      toText(find(path, values, place), { placeholder, place }),
    )
  })
}

function find(path: string, values: TemplateValues, place: string): unknown {
  let value: unknown = values
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      throw new VplaneError('INVALID_SPEC', `${place}: there is no value "\${${path}}"`, {
        hints: ['all values are listed in templates/README.md'],
      })
    }
    value = Reflect.get(value, name)
  }
  return value
}

function toText(value: unknown, { place, placeholder }: Record<'place' | 'placeholder', string>) {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  const held = value === undefined ? 'has no value here' : 'is no text'
  throw new VplaneError(
    'INVALID_SPEC',
    `${place}: "${placeholder}" ${held}: it can only stand alone`,
  )
}

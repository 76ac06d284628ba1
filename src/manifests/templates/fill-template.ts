import { VplaneError } from '../../shared/errors.ts'
import { replaceScalars } from '../../shared/yaml/yaml-scalars.ts'

/** The values of placeholders: `${etcd.image}` is `image` of `etcd`. An undefined value removes its field. */
export interface TemplateValues {
  [name: string]: unknown
}

export interface Template {
  /** Path in the folder of templates, such as `etcd/service.yaml`. */
  path: string
  /** The path that messages show. */
  source: string
  text: string
}

const PLACEHOLDER = /\$\{([^}]*)\}/g
const WHOLE = /^\$\{([^}]*)\}$/

/**
 * The objects that a template describes. A string that is only `${path}` becomes the value with its type; inside of a
 * longer string, the value becomes a part of it. Values are never parsed as YAML.
 * @throws {VplaneError} `INVALID_SPEC` with file and line when the template is not YAML, a placeholder is unknown, or a
 * value inside of a longer string is not a string.
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
  const reason = value === undefined ? 'has no value here' : 'is not a string'
  const message = `${place}: "${placeholder}" ${reason}: it must be the whole value`
  throw new VplaneError('INVALID_SPEC', message)
}

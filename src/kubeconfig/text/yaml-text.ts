/** A value to write; undefined fields are left out. */
export type Value =
  | string
  | number
  | boolean
  | readonly Value[]
  | { readonly [key: string]: Value | undefined }

/** A string as a double-quoted scalar that means the same in JSON, in YAML 1.2 and in the YAML 1.1 of Go's readers. */
export function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** YAML 1.1 refuses these, or takes them for line breaks; some also reorder text on a screen. */
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g

/** A value on one line as JSON, which is valid in JSON, in flow style and behind a key. */
export function formatFlow(value: Value): string {
  if (typeof value === 'string') {
    return quote(value)
  }
  if (typeof value !== 'object') {
    return String(value)
  }
  if (isList(value)) {
    return `[${value.map((item) => formatFlow(item)).join(', ')}]`
  }
  return `{${fieldsOf(value)
    .map(([key, field]) => `${quote(key)}: ${formatFlow(field)}`)
    .join(', ')}}`
}

/** A value as the lines of YAML's block style, indented as kubectl does it. */
export function formatBlock(value: Value): string[] {
  if (typeof value !== 'object' || isFlat(value)) {
    return [formatFlow(value)]
  }
  if (isList(value)) {
    return value.flatMap((item) =>
      formatBlock(item).map((line, index) => `${index === 0 ? '-' : ' '} ${line}`),
    )
  }
  return fieldsOf(value).flatMap(([key, field]) => {
    if (isFlat(field)) {
      return [`${formatKey(key)}: ${formatFlow(field)}`]
    }
    const indent = isList(field) ? '' : '  '
    return [`${formatKey(key)}:`, ...formatBlock(field).map((line) => indent + line)]
  })
}

function formatKey(key: string): string {
  return /^[A-Za-z][A-Za-z-]*$/.test(key) ? key : quote(key)
}

/** Whether a value fits on the line of its key. */
function isFlat(value: Value): boolean {
  return typeof value !== 'object' || Object.keys(value).length === 0
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function fieldsOf(value: { readonly [key: string]: Value | undefined }): Array<[string, Value]> {
  return Object.entries(value).flatMap(([key, field]) =>
    field === undefined ? [] : [[key, field]],
  )
}

import * as z from 'zod'
import { closestTo } from '../../shared/text/closest.ts'
import { isRecord } from '../../shared/json-fields.ts'
import { userSpecSchema } from './spec.ts'

export interface SpecProblem {
  path: ReadonlyArray<string | number>
  /** Of an unknown field it names the field, otherwise it follows the field's path and a colon. */
  reason: string
  isUnknownField: boolean
}

/** What the schema says is wrong with the fields of a spec, one problem for each field. */
export function problemsOf(error: z.ZodError, fields: unknown): SpecProblem[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownField([...path, key]))
      : [{ path, reason: reasonOf(issue, valueAt(fields, path)), isUnknownField: false }]
  })
}

/** The problem of a field that no spec has, with the name that was most likely meant. */
export function unknownField(path: ReadonlyArray<string | number>): SpecProblem {
  const parent = path.slice(0, -1)
  const schema = schemaAt(parent)
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const closest = closestTo(String(path.at(-1)), names)
  const guess = closest === undefined ? '' : `: did you mean "${[...parent, closest].join('.')}"?`
  return { path, reason: `unknown field "${path.join('.')}"${guess}`, isUnknownField: true }
}

/** The schema of the field at a path, whether it may be left out or not; undefined when no spec has such a field. */
export function schemaAt(path: ReadonlyArray<string | number>): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>(
    (schema, part) => schema && withoutOptional(fieldOf(schema, String(part))),
    userSpecSchema,
  )
}

/** The part of a path that fields of the schema make up, without names that a user chose and items of lists. */
export function declaredPart(path: ReadonlyArray<string | number>): Array<string | number> {
  const end = path.findIndex((part, index) => {
    const parent = schemaAt(path.slice(0, index))
    return !(parent instanceof z.ZodObject && Object.hasOwn(parent.shape, part))
  })
  return path.slice(0, end === -1 ? undefined : end)
}

function fieldOf(schema: z.ZodType, name: string): unknown {
  if (schema instanceof z.ZodObject) {
    return Object.hasOwn(schema.shape, name) ? schema.shape[name] : schema.def.catchall
  }
  return schema instanceof z.ZodRecord
    ? schema.valueType
    : schema instanceof z.ZodArray
      ? schema.element
      : undefined
}

function withoutOptional(schema: unknown): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) {
    return withoutOptional(schema.unwrap())
  }
  return schema instanceof z.ZodType && !(schema instanceof z.ZodNever) ? schema : undefined
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_key': {
      return issue.issues.map(({ message }) => message).join(', ')
    }
    case 'invalid_value': {
      return `must be one of ${issue.values.map((one) => JSON.stringify(one)).join(', ')}`
    }
    case 'too_small': {
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    }
    case 'too_big': {
      const unit = issue.origin === 'string' ? ' characters long' : ''
      return `must be at most ${issue.maximum}${unit}`
    }
    case 'invalid_type': {
      const isOwnMessage = !issue.message.startsWith('Invalid input')
      return value === undefined
        ? 'must be set'
        : isOwnMessage
          ? issue.message
          : `must be ${TYPES[issue.expected] ?? issue.expected}, not ${describe(value)}`
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys': {
      break
    }
  }
  return issue.message
}

const TYPES: Partial<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'fields',
  record: 'fields',
  string: 'a string',
}

/** A value in words: `the string "yes"`, `a list`. */
export function describe(value: unknown): string {
  return Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'nothing'
      : isRecord(value)
        ? 'fields'
        : `the ${typeof value} ${JSON.stringify(value)}`
}

function valueAt(value: unknown, path: ReadonlyArray<string | number>): unknown {
  return path.reduce<unknown>(
    (parent, part) =>
      typeof parent === 'object' && parent !== null ? Reflect.get(parent, part) : undefined,
    value,
  )
}

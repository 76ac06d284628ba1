import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from '../../src/shared/package-root.ts'

/** A validator made of a schema that is checked in, by its path below `schemas/`. */
export function readSchema(path: string): z.ZodType {
  return z.fromJSONSchema(JSON.parse(readFileSync(join(packageRoot(), 'schemas', path), 'utf8')))
}

/** Where a value breaks a schema, and how; empty when it does not. */
export function breachesOf(path: string, value: unknown): string[] {
  // What a script gets is text: undefined fields are not in it.
  const result = readSchema(path).safeParse(JSON.parse(JSON.stringify(value)))
  return (result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`)
}

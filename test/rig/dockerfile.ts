import { readFileSync } from 'node:fs';
import { Copy, DockerfileParser, Env, From, type Instruction, JSONInstruction } from 'dockerfile-ast';

/** One line of a Dockerfile. */
export interface Step {
  readonly keyword: string;
  readonly words: readonly string[];
  /** What stands behind the keyword, with its lines joined. */
  readonly text: string;
  /** The words of a JSON list; empty for anything else. */
  readonly list: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** The variables of ENV. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What lies between one FROM and the next. */
export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

/** The stages of a Dockerfile, in their order. */
export function stagesOf(file: string): readonly Stage[] {
  const stages: { image: string; name: string | undefined; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    if (instruction instanceof From) {
      stages.push({ image: instruction.getImage()!, name: instruction.getBuildStage() ?? undefined, steps: [] });
    } else stages.at(-1)!.steps.push(stepOf(instruction));
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const flags = instruction instanceof JSONInstruction || instruction instanceof Copy ? instruction.getFlags() : [];
  const variables = instruction instanceof Env ? instruction.getProperties() : [];
  return {
    keyword: instruction.getKeyword(),
    words: instruction.getArguments().map((argument) => argument.getValue()),
    text: (instruction.getArgumentsContent() ?? '').replace(/\\\n\s*/g, ' '),
    list: instruction instanceof JSONInstruction ? instruction.getJSONStrings().map((each) => each.getJSONValue()) : [],
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    variables: Object.fromEntries(variables.map((each) => [each.getName(), each.getValue() ?? ''])),
  };
}

import { Argument, type Command } from 'commander';
import { print } from './output.ts';

/** `barker completion`: prints a completion script, generated from the commands. */
export function configure(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'Shell to generate completions for').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nExample:\n  barker completion bash > ~/.local/share/bash-completion/completions/barker\n  barker completion fish > ~/.config/fish/completions/barker.fish\n\nIn zsh, add this to ~/.zshrc, after compinit:\n  source <(barker completion zsh)',
    )
    .action(async (shell: keyof typeof SCRIPTS) => {
      const { fullProgram } = await import('./program.ts');
      print(SCRIPTS[shell](levelsOf(await fullProgram(), [])));
    });
}

/** Completions at one command level. */
interface Level {
  readonly names: readonly string[];
  readonly commands: readonly Command[];
  readonly options: Command['options'];
  /** Fixed choices of its arguments. */
  readonly choices: readonly string[];
}

function levelsOf(command: Command, names: readonly string[]): Level[] {
  const { commands } = command;
  const options = command.options.filter(({ hidden, long }) => !hidden && long);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const below = commands.flatMap((each) => levelsOf(each, [...names, each.name()]));
  return [{ names, commands, options, choices }, ...below];
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

function bashScript(levels: readonly Level[]): string {
  const cases = levels.flatMap(({ names, commands, options, choices }) => {
    const level = names.join(' ');
    const flags = ['--help', ...options.map(({ long }) => long)].join(' ');
    const values = options.filter(({ required }) => required);
    return [
      `    '${level}') commands='${namesOf(commands)}' options='${flags}' values='${values.map(({ long }) => long).join(' ')}' choices='${choices.join(' ')}' ;;`,
      ...values.flatMap(({ long, argChoices }) =>
        argChoices ? [`    '${level} ${long}') choices='${argChoices.join(' ')}' ;;`] : [],
      ),
    ];
  });
  return `_barker_level() {
  commands= options= values= choices=
  case "$1" in
${cases.join('\n')}
  esac
}
_barker() {
  local current=\${COMP_WORDS[COMP_CWORD]} level= option= word at commands options values choices
  _barker_level ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $option ]]; then
      option=
    elif [[ " $values " == *" $word "* ]]; then
      option=$word
    elif [[ " $commands " == *" $word "* ]]; then
      level=\${level:+$level }$word
      _barker_level "$level"
    fi
  done
  if [[ -n $option ]]; then
    _barker_level "$level $option"
  elif [[ $current == -* ]]; then
    choices=$options
  else
    choices="$commands $choices"
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _barker barker
`;
}

/** zsh loads bash completions through bashcompinit. */
function zshScript(levels: readonly Level[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(levels)}`;
}

function fishScript(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ names, commands, options, choices }) => {
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const none = commands.length > 0 ? [`not __fish_seen_subcommand_from ${namesOf(commands)}`] : [];
    const at = `complete -c barker -n ${quoted([...seen, ...none].join('; and ') || 'true')}`;
    return [
      ...commands.map((each) => `${at} -f -a ${each.name()} -d ${quoted(each.description())}`),
      ...(choices.length > 0 ? [`${at} -f -a ${quoted(choices.join(' '))}`] : []),
      ...options.map(({ long, short, required, argChoices, description }) => {
        const value = required ? ` -r${argChoices ? ` -f -a ${quoted(argChoices.join(' '))}` : ''}` : '';
        return `${at} -l ${long!.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function namesOf(commands: readonly Command[]): string {
  return commands.map((each) => each.name()).join(' ');
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

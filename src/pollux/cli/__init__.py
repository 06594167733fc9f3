"""The command line (first cut)."""
import sys, json, click
from pathlib import Path

@click.group()
def cli(): ...

@cli.command("list")
@click.option("--json","as_json",is_flag=True)
@click.option("--all","all_",is_flag=True)
def list_(as_json, all_):
    from pollux.library import Library, Filter
    from pollux.writers.json import summary_document
    found=Library().list(Filter(everything=all_))
    print(json.dumps([summary_document(l.summary,l.family_usage) for l in found],ensure_ascii=False))
    sys.exit(0 if found else 1)

@cli.command()
@click.argument("key")
@click.option("--json","as_json",is_flag=True)
def show(key, as_json):
    from pollux.library import Library, Filter
    from pollux.writers.json import WRITER
    from pollux.writers.base import Options
    lib=Library(); s=lib.session(key)
    WRITER.write(s, sys.stdout.write, Options(family_usage=lib.family_usage(s)))

@cli.command()
@click.option("--all","all_",is_flag=True)
@click.option("--to")
@click.option("-o","out")
def export(all_,to,out):
    from pollux.library import Library, Filter
    from pollux.writers.json import WRITER
    from pollux.writers.base import Options
    Path(out).mkdir(parents=True,exist_ok=True)
    for n,s in enumerate(Library().sessions(Filter(everything=True))):
        with open(Path(out)/f"{n}.json","w") as f: WRITER.write(s,f.write,Options())

@cli.command()
@click.option("--json","as_json",is_flag=True)
@click.option("--strict",is_flag=True)
def doctor(as_json,strict):
    import msgspec
    from pollux.library import Library
    d=Library().doctor()
    print(msgspec.json.encode(d).decode())
    sys.exit(3 if strict and not d.sound else 0)

def main():
    cli()

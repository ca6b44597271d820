#include "junit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "sentence.h"
#include "utf8.h"

struct junit {
    char *path, *temporary;
    int fd;
    FILE *cases; /* of the file, in memory: what comes before them counts them */
    char *text;
    size_t size;
    unsigned count, failed;
    double seconds;
    bool open; /* a case that has not ended */
};

static void junit_free(struct junit *j)
{
    fclose(j->cases);
    free(j->text);
    free(j->path);
    free(j->temporary);
    free(j);
}

struct junit *junit_begin(const char *path, struct motet_error *e)
{
    struct stat s;
    size_t length = strlen(path);
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) {
        sentence(e, "%s: cannot be written: it is not a plain file", path);
        return NULL;
    }
    char *temporary = cli_array(length + 8, 1);
    snprintf(temporary, length + 8, "%s.XXXXXX", path);
    int fd = mkstemp(temporary);
    if (fd < 0) {
        sentence(e, "%s: cannot be written: %s", path, strerror(errno));
        free(temporary);
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask); /* as any other file that a program writes */
    struct junit *j = cli_array(1, sizeof *j);
    *j = (struct junit){.path = cli_text(path, length), .temporary = temporary, .fd = fd};
    j->cases = open_memstream(&j->text, &j->size);
    if (!j->cases)
        abort();
    return j;
}

void junit_abandon(struct junit *j)
{
    if (!j)
        return;
    close(j->fd);
    unlink(j->temporary);
    junit_free(j);
}

/* A text in an attribute or an element. XML has no place for other control characters. */
static void junit_text(FILE *file, const char *text, size_t length)
{
    for (const char *s = text, *end = text + length; s < end;) {
        unsigned bytes = utf8_length(s);
        if (bytes == 0 || (bytes == 1 && ((*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)))
            fputs("\xef\xbf\xbd", file);
        else if (bytes == 3 && memcmp(s, "\xef\xbf\xbe", 2) == 0 && (unsigned char)s[2] >= 0xbe)
            fputs("\xef\xbf\xbd", file); /* U+FFFE and U+FFFF are no characters of XML */
        else if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            fputs(*s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;", file);
        else
            fwrite(s, 1, bytes, file);
        s += bytes ? bytes : 1;
    }
}

static void junit_attribute(FILE *file, const char *name, const char *text, size_t length)
{
    fprintf(file, " %s=\"", name);
    junit_text(file, text, length);
    fputc('"', file);
}

static void junit_close_case(struct junit *j)
{
    if (j->open)
        fputs("    </testcase>\n", j->cases);
    j->open = false;
}

void junit_case(struct junit *j, const char *file, const char *name, double seconds)
{
    junit_close_case(j);
    fputs("    <testcase", j->cases);
    junit_attribute(j->cases, "classname", file, strlen(file));
    junit_attribute(j->cases, "name", name, strcspn(name, "\n"));
    fprintf(j->cases, " time=\"%.3f\">\n", seconds);
    j->open = true;
    j->count++;
    j->seconds += seconds;
}

void junit_failure(struct junit *j, const char *type, const char *text)
{
    fputs("      <failure", j->cases);
    junit_attribute(j->cases, "message", text, strcspn(text, "\n"));
    junit_attribute(j->cases, "type", type, strlen(type));
    fputc('>', j->cases);
    junit_text(j->cases, text, strlen(text));
    fputs("</failure>\n", j->cases);
    j->failed++;
}

void junit_attach(struct junit *j, const char *path)
{
    char *real = realpath(path, NULL); /* servers look for files from elsewhere */
    fputs("      <system-out>[[ATTACHMENT|", j->cases);
    junit_text(j->cases, real ? real : path, strlen(real ? real : path));
    fputs("]]</system-out>\n", j->cases);
    free(real);
}

static void junit_counts(FILE *file, const struct junit *j)
{
    fprintf(file, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\" time=\"%.3f\"", j->count, j->failed,
            j->seconds);
}

bool junit_end(struct junit **of, const char *suite, struct motet_error *e)
{
    struct junit *j = *of;
    if (!j)
        return true;
    *of = NULL;
    junit_close_case(j);
    bool good = fflush(j->cases) == 0;
    FILE *file = fdopen(j->fd, "w");
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    junit_attribute(file, "name", suite, strlen(suite));
    junit_counts(file, j);
    fprintf(file, ">\n  <testsuite");
    junit_attribute(file, "name", suite, strlen(suite));
    junit_counts(file, j);
    fprintf(file, ">\n%s  </testsuite>\n</testsuites>\n", j->text);
    good &= !ferror(file);
    good &= fclose(file) == 0;
    good = good && rename(j->temporary, j->path) == 0;
    if (!good) {
        sentence(e, "%s: cannot be written: %s", j->path, strerror(errno));
        unlink(j->temporary);
    }
    junit_free(j);
    return good;
}
